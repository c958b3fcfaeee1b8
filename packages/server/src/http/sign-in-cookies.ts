// What a browser is given when somebody has signed in.
import type { FastifyReply } from 'fastify';
import { SESSION_COOKIE, XSRF_COOKIE } from '../auth/authenticator.ts';
import type { SignedIn } from '../commands/begin-session.ts';

/** @param more cookies beside those of the session. */
export function setSessionCookies(
  reply: FastifyReply,
  { token, xsrf, lifetime }: SignedIn,
  base: string,
  more: readonly string[] = [],
): void {
  const common = `; Path=/; SameSite=Lax; Max-Age=${lifetime}${base.startsWith('https:') ? '; Secure' : ''}`;
  reply.header('Set-Cookie', [
    `${SESSION_COOKIE}=${token}; HttpOnly${common}`,
    // Programs read it from this header; scripts of content must not.
    `${XSRF_COOKIE}=${xsrf}; HttpOnly${common}`,
    ...more,
  ]);
}
