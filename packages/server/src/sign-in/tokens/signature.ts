// Signed requests, as sent by rsconnect for R: RSA (PKCS #1 v1.5) with SHA-1 over the method, the path, the date and
// the checksum of the body. The query, the host and other headers are not signed.
import { createPublicKey, verify } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { errors } from '@pressroom/api/contract';
import type { Micros } from '../../platform/database/schema.ts';
import { readBase64 } from './base64.ts';

/** The parsed headers of a signed request. */
export interface SignedRequest {
  readonly token: string;
  readonly date: string;
  readonly checksum: string;
  readonly signature: Buffer;
}

/** The requested target in all forms that clients may have signed. */
export interface SignedTarget {
  /** When the request came, which its Date must fit: its body may take longer. */
  readonly received: Micros;
  readonly method: string;
  readonly paths: readonly string[];
}

/** Maximum difference of Date to the server's clock: within it, an observed request can be replayed. */
const WINDOW: Micros = 5 * 60 * 1_000_000;
const TOKEN = /^[A-Za-z0-9_-]{20,128}$/;
const DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
const MAX_SIGNATURE_LENGTH = 1024;
/** Sent by rsconnect without an account. */
const NOBODY = 'anonymous-access';

/** Whether a request is signed. An API key takes precedence. */
export function isSigned(headers: IncomingHttpHeaders): boolean {
  const token = headers['x-auth-token'];
  return headers.authorization === undefined && token !== undefined && token !== NOBODY;
}

/** @throws ApiError 24 for incomplete or malformed headers, or a Date outside the window. */
export function readSigned(headers: IncomingHttpHeaders, received: Micros): SignedRequest {
  const { date = '' } = headers;
  const token = headerOf(headers, 'x-auth-token');
  const checksum = headerOf(headers, 'x-content-checksum');
  const text = headerOf(headers, 'x-auth-signature');
  const signature = text.length > MAX_SIGNATURE_LENGTH ? null : readBase64(text);
  if (!TOKEN.test(token) || checksum === '' || signature === null || !DATE.test(date))
    throw errors.authenticationRequired({
      message:
        'a signed request has valid X-Auth-Token, X-Auth-Signature, X-Content-Checksum and Date headers',
    });
  const time = Date.parse(date) * 1000;
  if (!(Math.abs(received - time) <= WINDOW))
    throw errors.authenticationRequired({
      message: "the Date of the request is more than five minutes from the server's clock: check yours",
    });
  return { token, date, checksum, signature };
}

/** Clients sign the requested path: the public one, below a proxy's sub-path. */
export function signedTargetOf(
  { url = '/', method = 'GET' }: IncomingMessage,
  base: string,
  received: Micros,
): SignedTarget {
  const [path = ''] = url.split('?', 1);
  const above = new URL(base).pathname.replace(/\/$/, '');
  return { received, method, paths: above === '' ? [path] : [above + path, path] };
}

export function isSignatureOf(
  { date, checksum, signature }: SignedRequest,
  { method, paths }: SignedTarget,
  publicKey: string,
): boolean {
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  return paths.some((path) => {
    const text = Buffer.from([method, path, date, checksum].join('\n'), 'latin1');
    return verify('sha1', text, key, signature);
  });
}

function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
