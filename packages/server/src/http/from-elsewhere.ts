// What another site makes a visitor's browser ask for.
import type { IncomingHttpHeaders } from 'node:http';

/** Browsers say where a request comes from; programs do not send this header. */
export function isFromElsewhere(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
