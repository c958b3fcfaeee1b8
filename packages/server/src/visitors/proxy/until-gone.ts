// Whether a visitor still waits.
import type { EventEmitter } from 'node:events';

/** Made once: the stack of one for each visitor took a tenth of what a visit costs. */
export const GONE = new DOMException('The visitor is gone', 'AbortError');

/** Aborted once the visitor has closed the connection that waits for an answer, or is about to become a socket. */
export function untilGone(connection: EventEmitter & { readonly destroyed: boolean }): AbortSignal {
  const gone = new AbortController();
  if (connection.destroyed) gone.abort(GONE);
  for (const event of ['end', 'close']) connection.once(event, () => gone.abort(GONE));
  return gone.signal;
}
