// Session cookies set after sign-in.
import type { FastifyReply } from 'fastify';
import { ownCookieName, SESSION_COOKIE, XSRF_COOKIE } from '../../http/cookie-names.ts';
import type { SignedIn } from '../begin-session.ts';

/** @param more additional cookies. */
export function setSessionCookies(
  reply: FastifyReply,
  { token, xsrf, lifetime }: SignedIn,
  base: string,
  more: readonly string[] = [],
): void {
  const common = `; Path=/; SameSite=Lax; Max-Age=${lifetime}${base.startsWith('https:') ? '; Secure' : ''}`;
  // Programs read the token by its plain name from this header; scripts of content must not.
  const names = new Set([XSRF_COOKIE, ownCookieName(XSRF_COOKIE, base)]);
  reply.header('Set-Cookie', [
    `${ownCookieName(SESSION_COOKIE, base)}=${token}; HttpOnly${common}`,
    ...[...names].map((name) => `${name}=${xsrf}; HttpOnly${common}`),
    ...more,
  ]);
}
