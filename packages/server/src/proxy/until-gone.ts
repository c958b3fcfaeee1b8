// Whether a visitor still waits.
import type { EventEmitter } from 'node:events';

/** Aborted when the visitor closes the connection that waits for an answer, or is about to become a socket. */
export function untilGone(connection: EventEmitter): AbortSignal {
  const gone = new AbortController();
  for (const event of ['end', 'close']) connection.once(event, () => gone.abort());
  return gone.signal;
}
