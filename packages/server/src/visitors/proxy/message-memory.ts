// Limits the memory of messages over all WebSockets that are read message by message: one may be large, and there may be
// many sockets, each in the middle of one.
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** What holds bytes of messages. */
export interface Holder {
  bytes(): number;
  /** Frees them. */
  end(): void;
}

export interface MessageMemory extends Disposable {
  /** Returns a function that stops watching. */
  watch(holder: Holder): () => void;
  /** Watches what a socket has received of an unfinished message, until it is closed. */
  watchUnfinished(socket: WebSocket, connection: Duplex): void;
  /** Ends those that hold most until the others fit. Called several times a second. */
  look(): void;
}

const LOOK_MS = 250;
/** Bytes of the header of a short frame. */
const HEADER = 2;
const MASK = 4;

/** @param limit bytes */
export function createMessageMemory(limit: number): MessageMemory {
  const holders = new Set<Holder>();

  function watch(holder: Holder): () => void {
    holders.add(holder);
    return () => void holders.delete(holder);
  }

  function look(): void {
    const all = [...holders].map((holder) => ({ holder, bytes: holder.bytes() }));
    let total = all.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= limit) return;
    for (const { holder, bytes } of all.toSorted((a, b) => b.bytes - a.bytes)) {
      if (total <= limit) return;
      holders.delete(holder);
      holder.end();
      total -= bytes;
    }
  }

  const looking = setInterval(look, LOOK_MS).unref();
  return {
    watch,
    watchUnfinished(socket, connection) {
      let finished = bytesRead(connection);
      // Pings may come in the middle of a message.
      const skip = (data: Buffer) => void (finished += HEADER + MASK + data.length);
      socket.on('message', () => (finished = bytesRead(connection)));
      socket.on('ping', skip).on('pong', skip);
      const leave = watch({
        bytes: () => Math.max(0, bytesRead(connection) - finished),
        end: () => socket.terminate(),
      });
      socket.once('close', leave);
    },
    look,
    [Symbol.dispose]: () => clearInterval(looking),
  };
}

/** Counted by the socket anyway. */
function bytesRead(connection: Duplex): number {
  return 'bytesRead' in connection && typeof connection.bytesRead === 'number' ? connection.bytesRead : 0;
}
