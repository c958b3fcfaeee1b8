// The credentials of a request: an API key, a signature, or the cookie of a session.
import type { IncomingHttpHeaders } from 'node:http';
import { errors } from '@pressroom/api/contract';
import { SESSION_COOKIE } from '../http/cookie-names.ts';
import { readCookie } from '../http/read-cookie.ts';
import { hasKey } from '../http/request-forgery.ts';
import { isSigned, readSigned, type SignedRequest, type SignedTarget } from './tokens/signature.ts';

/** What shows who sends a request. */
export type Proof =
  | { readonly by: 'key' | 'session'; readonly secret: string }
  | { readonly by: 'signature'; readonly signed: SignedRequest; readonly target: SignedTarget };

/** The credentials of a request that count: a key, else a signature, else a session. */
export function proofIn(headers: IncomingHttpHeaders, target?: SignedTarget): Proof | null {
  const key = readKey(headers.authorization);
  if (key !== null) return { by: 'key', secret: key };
  if (target && isSigned(headers))
    return { by: 'signature', signed: readSigned(headers, target.received), target };
  const token = readCookie(headers.cookie, SESSION_COOKIE);
  return token === null ? null : { by: 'session', secret: token };
}

/**
 * The scheme `Key` in any case, one or more spaces, the key; or `Bearer` with a token. Another scheme is error 24, none
 * is null.
 */
function readKey(authorization: string | undefined): string | null {
  if (!authorization) return null;
  const key = /^\w+ +(\S+)\s*$/.exec(authorization)?.[1];
  if (!key || !hasKey({ authorization })) throw errors.authenticationRequired();
  return key;
}
