// Creating the first administrator without a key: only by programs, never by a page in a browser.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { errors } from '@pressroom/api/contract';
import { parseAddresses } from '../main/config/addresses.ts';
import type { Config } from '../main/config/settings.ts';

const LOOPBACK = parseAddresses('127.0.0.0/8, ::1');
/** Headers that browsers send automatically, and programs do not. */
const OF_BROWSERS = ['origin', 'referer', 'cookie', 'sec-fetch-site', 'sec-fetch-dest', 'sec-fetch-user'];

export interface UnauthenticatedRequest {
  readonly raw: Pick<IncomingMessage, 'headers'>;
  /** The server's address according to the request. */
  readonly base: string;
  readonly visitor: string;
}

/** @throws ApiError 92 for a page, or a host name that is not the server's; 24 if the settings require the link. */
export function requireProgram(config: Config, { raw, base, visitor }: UnauthenticatedRequest): void {
  const from = config['Setup.KeylessFrom'];
  if (isBrowser(raw.headers)) {
    throw errors.xsrfTokenMismatch({
      message:
        'the first administrator is made by a program, or with the link that the server prints at its start',
    });
  }
  if (isNamedAsBrowser(raw.headers) && !isOwnName(config, raw.headers, base)) {
    throw errors.xsrfTokenMismatch({
      message:
        'the server does not know this name for itself: set Server.Address, or use the link that it prints',
    });
  }
  if (from === 'anywhere' || (from === 'loopback' && LOOPBACK.has(visitor))) return;
  throw errors.authenticationRequired({
    message: `the first administrator is made with the link that the server prints at its start (Setup.KeylessFrom is ${from})`,
  });
}

/**
 * Current browsers send Origin with every POST, including forms. Older ones are recognised by their name, and by form
 * bodies.
 */
function isBrowser(headers: IncomingHttpHeaders): boolean {
  if (OF_BROWSERS.some((name) => headers[name] !== undefined)) return true;
  const form = /^(text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)\b/i;
  return isNamedAsBrowser(headers) && form.test(headers['content-type'] ?? 'text/plain');
}

function isNamedAsBrowser(headers: IncomingHttpHeaders): boolean {
  return /^Mozilla\//i.test(headers['user-agent'] ?? '');
}

/**
 * Rejects host names of other people whose DNS points here: their pages would share our origin, even in an old browser.
 */
function isOwnName(config: Config, headers: IncomingHttpHeaders, base: string): boolean {
  const names = [headers.host ?? '', new URL(base).host].map(nameIn);
  const configured = config['Server.Address'] === '' ? null : new URL(config['Server.Address']).hostname;
  const own = (name: string) =>
    isIP(name.replace(/^\[|\]$/g, '')) > 0 ||
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === hostname().toLowerCase() ||
    name === configured;
  return names.every(own);
}

function nameIn(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}
