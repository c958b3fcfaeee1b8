// Ends a connection with a last response.
import type { Duplex } from 'node:stream';

/** Milliseconds that a refused client gets to read the response, and to send what it has begun. */
export const LINGER_MS = 30_000;

/** A client that never closes its side does not hold the connection: Node.js watches it no more. */
export function endWith(socket: Duplex, response: string): void {
  const late = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(late)).end(response);
}
