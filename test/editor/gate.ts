// A connection to a server that a test can pause during an upload, or close.
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Gate extends AsyncDisposable {
  url(): string;
  /** Passes this many more bytes to the server, then none. */
  holdAfter(bytes: number): void;
  /** Resolves when bytes are being held back. */
  held(): Promise<void>;
  open(): void;
  /** Closes all connections and accepts no new ones. */
  close(): void;
}

export function startGate(target: string): Gate {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let left = Infinity;
  let closed = false;
  const waiting: (() => void)[] = [];
  let holding = Promise.withResolvers<void>();

  const server = createServer((client) => {
    if (closed) return client.destroy();
    const upstream = createConnection(Number(port), hostname);
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    upstream.pipe(client);
    client.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      upstream.write(chunk);
      if (left > 0) return;
      client.pause();
      waiting.push(() => client.resume());
      holding.resolve();
    });
  }).listen(0, '127.0.0.1');

  return {
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    holdAfter(bytes) {
      left = bytes;
      holding = Promise.withResolvers<void>();
    },
    held: () => holding.promise,
    open() {
      left = Infinity;
      closed = false;
      for (const resume of waiting.splice(0)) resume();
    },
    close() {
      closed = true;
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
