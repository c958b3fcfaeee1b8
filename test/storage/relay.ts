// A relay between a server and its database or store, which can delay answers.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Relay extends AsyncDisposable {
  /** The address of the database through the relay. */
  readonly url: string;
  /** Delays answers on listening connections, not on others; `Infinity` drops them. */
  delay(milliseconds: number): void;
  /** Drops answers until called with false. */
  mute(isMute: boolean): void;
  /** Closes all connections, and accepts none until called with false. */
  refuse(isRefusing: boolean): void;
  /** Resolves at the next refused connection. */
  refused(): Promise<unknown>;
}

export async function startRelay(database: string): Promise<Relay> {
  const { hostname, port } = new URL(database);
  const sockets = new Set<Socket>();
  let late = 0;
  let isRefusing = false;
  let isMute = false;
  const server = createServer((near) => {
    if (isRefusing) {
      near.destroy();
      server.emit('refused');
      return;
    }
    const far = connect(Number(port), hostname);
    let isListening = false;
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy()).on('close', () => other.destroy());
      socket.once('close', () => sockets.delete(socket));
    }
    near.on('data', (bytes) => {
      isListening ||= bytes.includes('listen pressroom');
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (isMute) return;
      if (!isListening || late === 0) near.write(bytes);
      else if (late !== Infinity) setTimeout(() => near.destroyed || near.write(bytes), late);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(database);
  url.port = String((server.address() as AddressInfo).port);
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    delay: (milliseconds) => (late = milliseconds),
    mute: (mute) => (isMute = mute),
    refuse(refusing) {
      isRefusing = refusing;
      if (refusing) breakAll();
    },
    refused: () => once(server, 'refused'),
    async [Symbol.asyncDispose]() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
