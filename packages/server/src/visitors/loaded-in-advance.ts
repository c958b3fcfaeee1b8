// Pages that a browser loads before its user opens them: by a hint of a page, or while an address is typed.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isNavigation } from '../http/request-forgery.ts';

export function isLoadedInAdvance({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return /^prefetch\b/.test(String(headers['sec-purpose'] ?? ''));
}

/** Too Early. A status from 500 on would count as a failure of the server. */
const TOO_EARLY = 425;

/**
 * Refuses such a page: a browser that has it does not ask again when it is opened, and many are never opened. Then it
 * would be a visit too few, or too many. Returns whether it did.
 */
export function refuseInAdvance(request: IncomingMessage, response: ServerResponse): boolean {
  if (!isLoadedInAdvance(request) || !isNavigation(request)) return false;
  response.writeHead(TOO_EARLY, { 'Cache-Control': 'no-store' }).end();
  return true;
}
