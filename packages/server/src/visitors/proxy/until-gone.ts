// Detects whether a visitor still waits.
import type { EventEmitter } from 'node:events';

/** Created once: a stack trace per visitor took a tenth of the time of a visit. */
export const GONE = new DOMException('The visitor is gone', 'AbortError');

/** Aborts once the visitor has closed a connection that waits for a response or upgrade. */
export function untilGone(connection: EventEmitter & { readonly destroyed: boolean }): AbortSignal {
  const gone = new AbortController();
  if (connection.destroyed) gone.abort(GONE);
  for (const event of ['end', 'close']) connection.once(event, () => gone.abort(GONE));
  return gone.signal;
}
