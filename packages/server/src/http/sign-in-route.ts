// /__login__, /__logout__, /__confirm__ and /__ping__: what stands beside the API (interop.md).
import { ApiError } from '@pressroom/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readCookie, SESSION_COOKIE, XSRF_COOKIE } from '../auth/authenticator.ts';
import { confirmUser } from '../commands/confirm-user.ts';
import { signIn, signOut, type SignedIn } from '../commands/sessions.ts';
import { presentUser } from '../domain/presenters.ts';
import type { Services } from '../services.ts';
import type { BaseUrl } from './base-url.ts';
import { sendPage, sendSignInPage } from './pages.ts';
import type { QueryValues } from './query-string.ts';
import { readText } from './read-text.ts';

export function mountSignIn(app: FastifyInstance, services: Services, base: BaseUrl): void {
  app.get('/__ping__', () => ({}));

  app.get('/__login__', (request, reply) => {
    reply.hijack();
    sendSignInPage(reply.raw, 200, localPath((request.query as QueryValues).next?.[0]), null);
  });

  app.post('/__login__', async (request, reply) => {
    const { values, form } = readCredentials(await readText(request.raw));
    try {
      const signedIn = await signIn(services, values.username, values.password);
      setCookies(reply, signedIn, base.of(request.raw));
      if (!form) return presentUser(signedIn.user, { email: true });
      const root = new URL(base.of(request.raw)).pathname.replace(/\/$/, '');
      return await reply.redirect(`${root}${localPath(values.next)}`, 303);
    } catch (error) {
      if (!form || !(error instanceof ApiError)) throw error;
      reply.hijack();
      sendSignInPage(reply.raw, error.status, localPath(values.next), error.message);
    }
  });

  app.post('/__logout__', async (request: FastifyRequest, reply) => {
    const caller = await services.authenticator.identify(request.headers, 'POST');
    const token = readCookie(request.headers.cookie, SESSION_COOKIE);
    if (caller && token) await signOut(services, token, caller.guid);
    for (const name of [SESSION_COOKIE, XSRF_COOKIE])
      reply.header('Set-Cookie', `${name}=; Path=/; Max-Age=0`);
    return {};
  });

  app.get('/__confirm__', async (request, reply) => {
    let [status, text] = [200, 'Your address is confirmed. You can sign in now.'];
    try {
      await confirmUser(services, (request.query as QueryValues).ticket?.[0] ?? '');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      [status, text] = [error.status, error.message];
    }
    reply.hijack();
    sendPage(reply.raw, status, 'Confirm your address', text);
  });
}

interface Credentials {
  username: string;
  password: string;
  next?: string;
}

/** JSON from programs, a form from the sign-in page. @throws ApiError 87, 12 */
function readCredentials(text: string): { values: Credentials; form: boolean } {
  const form = !text.trimStart().startsWith('{');
  let values: Partial<Record<string, unknown>>;
  try {
    values = form
      ? Object.fromEntries(new URLSearchParams(text))
      : (JSON.parse(text) as Record<string, unknown>);
  } catch (cause) {
    throw new ApiError(87, { cause });
  }
  const { username, password, next } = values;
  if (typeof username !== 'string' || typeof password !== 'string') {
    throw new ApiError(12, { message: 'username and password are needed' });
  }
  if (username.includes('\0')) throw new ApiError(30);
  return { values: { username, password, ...(typeof next === 'string' && { next }) }, form };
}

function setCookies(reply: FastifyReply, { token, xsrf, lifetime }: SignedIn, base: string): void {
  const common = `; Path=/; SameSite=Lax; Max-Age=${lifetime}${base.startsWith('https:') ? '; Secure' : ''}`;
  reply.header('Set-Cookie', [
    `${SESSION_COOKIE}=${token}; HttpOnly${common}`,
    `${XSRF_COOKIE}=${xsrf}${common}`,
  ]);
}

/** A path of this server, whatever was asked for: never another host. */
function localPath(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : '/';
}
