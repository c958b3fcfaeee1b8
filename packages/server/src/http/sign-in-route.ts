// /__login__ and what is below it, /__logout__, /__confirm__ and /__ping__: what stands beside the API (interop.md).
import { ApiError } from '@pressroom/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readCookie, SESSION_COOKIE, XSRF_COOKIE } from '../auth/authenticator.ts';
import { clearedCookies, ownCookieName } from '../auth/cookie-names.ts';
import { confirmUser } from '../commands/confirm-user.ts';
import {
  signInPerson,
  signInWithPassword,
  signOut,
  type SignedIn,
  type Visit,
} from '../commands/sessions.ts';
import { presentUser } from '../domain/presenters.ts';
import type { Services } from '../services.ts';
import type { BaseUrl } from './base-url.ts';
import { toApiError } from './error-handler.ts';
import { isFromElsewhere } from './from-elsewhere.ts';
import { localPath } from './local-path.ts';
import { sendPage, sendSignInPage } from './pages.ts';
import type { QueryValues } from './query-string.ts';
import { readText } from './read-text.ts';
import { createAttempts } from './sign-in-attempts.ts';

export function mountSignIn(app: FastifyInstance, services: Services, base: BaseUrl): void {
  const { provider, authenticator, log } = services;
  const { signIn } = provider;
  const attempts = createAttempts(services);
  const rootOf = (request: FastifyRequest) => new URL(base.of(request.raw)).pathname.replace(/\/$/, '');
  const visitOf = (request: FastifyRequest): Visit => ({
    address: base.visitor(request.raw),
    previous: readCookie(request.headers.cookie, SESSION_COOKIE),
  });

  function welcome(request: FastifyRequest, reply: FastifyReply, signedIn: SignedIn, next: string) {
    setCookies(reply, signedIn, base.of(request.raw));
    return reply.redirect(`${rootOf(request)}${next}`, 303);
  }

  /** The causes are for the operator: they may say more than a stranger should know. */
  function refuse(reply: FastifyReply, error: unknown): void {
    const refusal = toApiError(error);
    const why = refusal.cause instanceof Error ? refusal.cause.message : undefined;
    if (refusal.code === 1) log.error({ err: error }, 'signing in failed');
    else log.warn({ code: refusal.code, why }, 'somebody could not be signed in');
    reply.hijack();
    sendPage(reply.raw, refusal.status, 'You could not be signed in', refusal.message);
  }

  app.get('/__ping__', () => ({}));

  app.get('/__login__', async (request, reply) => {
    const next = localPath((request.query as QueryValues).next?.[0]);
    if (signIn.by === 'form') {
      reply.hijack();
      return sendSignInPage(reply.raw, 200, next, null);
    }
    try {
      if (signIn.by === 'header') {
        const person = signIn.read(request.headers);
        if (!person) throw new ApiError(24, { message: 'the proxy in front does not say who you are' });
        const signedIn = await signInPerson(services, person, visitOf(request));
        return await welcome(request, reply, signedIn, next);
      }
      const { location, attempt } = await signIn.begin();
      reply.header('Set-Cookie', attempts.cookie({ attempt, next }, base.of(request.raw)));
      return await reply.redirect(location, 302);
    } catch (error) {
      return refuse(reply, error);
    }
  });

  app.post('/__login__', async (request, reply) => {
    // Another site must not sign a visitor in, as somebody of its choice.
    if (isFromElsewhere(request.headers, new URL(base.of(request.raw)).origin)) throw new ApiError(92);
    const { values, form } = readCredentials(await readText(request.raw));
    try {
      const { username, password } = values;
      const signedIn = await signInWithPassword(services, username, password, visitOf(request));
      if (form) return await welcome(request, reply, signedIn, localPath(values.next));
      setCookies(reply, signedIn, base.of(request.raw));
      return presentUser(signedIn.user, { email: true });
    } catch (error) {
      if (!form || !(error instanceof ApiError)) throw error;
      reply.hijack();
      sendSignInPage(reply.raw, error.status, localPath(values.next), error.message);
    }
  });

  if (signIn.by === 'redirect') {
    app.get('/__login__/callback', async (request, reply) => {
      try {
        const { attempt, next } = attempts.read(request.headers.cookie);
        reply.header('Set-Cookie', attempts.cleared(base.of(request.raw)));
        const person = await signIn.finish(new URL(request.url, 'http://localhost').searchParams, attempt);
        const signedIn = await signInPerson(services, person, visitOf(request));
        return await welcome(request, reply, signedIn, next);
      } catch (error) {
        return refuse(reply, error);
      }
    });
    const { receive, metadata } = signIn;
    if (receive) {
      app.post('/__login__/callback', async (request, reply) => {
        try {
          const query = await receive(new URLSearchParams(await readText(request.raw)));
          return await reply.redirect(`${rootOf(request)}/__login__/callback?${query.toString()}`, 303);
        } catch (error) {
          return refuse(reply, error);
        }
      });
    }
    if (metadata) {
      app.get('/__login__/metadata', (_request, reply) =>
        reply.type('application/samlmetadata+xml').send(metadata()),
      );
    }
  }

  app.post('/__logout__', async (request, reply) => {
    const caller = await authenticator.identify(request.headers, 'POST');
    const token = readCookie(request.headers.cookie, SESSION_COOKIE);
    if (caller && token) await signOut(services, token);
    for (const cookie of clearedCookies(base.of(request.raw))) reply.header('Set-Cookie', cookie);
    // Where the browser should go on, so that the proxy in front forgets the visitor too.
    return signIn.by === 'header' && signIn.signOutUrl !== '' ? { location: signIn.signOutUrl } : {};
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
  if (username.includes('\0') || password.includes('\0')) throw new ApiError(30);
  return { values: { username, password, ...(typeof next === 'string' && { next }) }, form };
}

function setCookies(reply: FastifyReply, { token, xsrf, lifetime }: SignedIn, base: string): void {
  const common = `; Path=/; SameSite=Lax; Max-Age=${lifetime}${base.startsWith('https:') ? '; Secure' : ''}`;
  // Programs read the token by its own name from this header; scripts of content must not.
  const names = new Set([XSRF_COOKIE, ownCookieName(XSRF_COOKIE, base)]);
  reply.header('Set-Cookie', [
    `${ownCookieName(SESSION_COOKIE, base)}=${token}; HttpOnly${common}`,
    ...[...names].map((name) => `${name}=${xsrf}; HttpOnly${common}`),
  ]);
}
