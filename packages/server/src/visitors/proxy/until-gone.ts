// Whether a visitor still waits.
import type { EventEmitter } from 'node:events';

/** Aborted once the visitor has closed the connection that waits for an answer, or is about to become a socket. */
export function untilGone(connection: EventEmitter & { readonly destroyed: boolean }): AbortSignal {
  const gone = new AbortController();
  if (connection.destroyed) gone.abort();
  for (const event of ['end', 'close']) connection.once(event, () => gone.abort());
  return gone.signal;
}
