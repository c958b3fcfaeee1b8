// /__login__/password and /__setup__: set a password by a link, request one, and create the first administrator.
import { ApiError } from '@pressroom/api/contract';
import type { FastifyInstance } from 'fastify';
import type { BaseUrl } from '../../http/base-url.ts';
import { sendPage } from '../../http/pages.ts';
import { DASHBOARD_PREFIX } from '../../http/paths.ts';
import { queryValue } from '../../http/query-string.ts';
import type { Mailer } from '../../platform/mailer.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { beginSession, type SessionParts } from '../begin-session.ts';
import {
  findByPasswordLink,
  mayMailResets,
  PASSWORD_PATH,
  requestPasswordReset,
  setPasswordByLink,
} from '../passwords/commands.ts';
import type { Passwords } from '../passwords/passwords.ts';
import type { SignInProvider } from '../providers/provider.ts';
import { beginStep } from '../second-factors/second-step.ts';
import { requireSetUpToken, setUp, SET_UP_PATH } from '../set-up.ts';
import type { Throttle } from '../throttle.ts';
import { sendPasswordPage, sendSetUpPage } from './pages.ts';
import { PASSWORD_SET, type SignInParts } from './parts.ts';
import type { SecondStep } from './second-step-route.ts';

interface Parts extends SessionParts {
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly provider: SignInProvider;
  readonly throttle: Throttle;
  readonly mailer: Mailer | null;
}

export function mountPasswords(
  app: FastifyInstance,
  parts: Parts,
  base: BaseUrl,
  { rootOf, visitOf, welcome, readForm }: SignInParts,
  secondStep: SecondStep,
): void {
  const least = parts.config['Authentication.PasswordMinLength'];

  app.get(PASSWORD_PATH, async (request, reply) => {
    const token = queryValue(request.query, 'token') ?? null;
    let status = 200;
    let error: string | null = null;
    let username: string | null = null;
    try {
      if (token !== null) ({ username } = await findByPasswordLink(parts, token));
    } catch (refusal) {
      if (!(refusal instanceof ApiError)) throw refusal;
      [status, error] = [refusal.status, refusal.message];
    }
    reply.hijack();
    sendPasswordPage(reply.raw, {
      status,
      root: rootOf(request),
      error,
      token: error === null ? token : null,
      username,
      least,
      mails: mayMailResets(parts),
    });
  });

  app.post(PASSWORD_PATH, async (request, reply) => {
    const { token = null, username = '', password = '' } = await readForm(request);
    const page = { root: rootOf(request), token, username: null, least, mails: mayMailResets(parts) };
    try {
      if (token === null) {
        await requestPasswordReset(parts, username, base.of(request.raw), visitOf(request));
        reply.hijack();
        sendPage(
          reply.raw,
          200,
          'Look into your mail',
          'If there is an account of that name with an address, a link is on its way there. It works for an hour.',
        );
        return;
      }
      await setPasswordByLink(parts, token, password, visitOf(request));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      reply.hijack();
      const shown = error.code === 101 ? null : token;
      sendPasswordPage(reply.raw, { ...page, token: shown, status: error.status, error: error.message });
      return;
    }
    // The link does not replace the second factor: signing in follows.
    return reply.redirect(`${rootOf(request)}/__login__?${PASSWORD_SET}`, 303);
  });

  app.get(SET_UP_PATH, async (request, reply) => {
    const token = queryValue(request.query, 'token') ?? '';
    try {
      await requireSetUpToken(parts, token);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      reply.hijack();
      sendPage(reply.raw, error.status, 'Set up Pressroom', error.message);
      return;
    }
    reply.hijack();
    sendSetUpPage(reply.raw, { status: 200, root: rootOf(request), error: null, token, typed: {}, least });
  });

  app.post(SET_UP_PATH, async (request, reply) => {
    const { token = '', username = '', email = '', password = '' } = await readForm(request);
    try {
      const user = await setUp(parts, token, { username, email, password }, base.of(request.raw));
      const next = `${DASHBOARD_PREFIX}/`;
      const step = await beginStep(parts, user);
      if (step !== null)
        return await secondStep.show(request, reply, step, { status: 200, next, error: null });
      const signedIn = await beginSession(parts, user, visitOf(request), 'the set-up link');
      return welcome(request, reply, signedIn, next);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      reply.hijack();
      if (error.code === 24) return sendPage(reply.raw, error.status, 'Set up Pressroom', error.message);
      const typed = { username, email };
      const page = { status: error.status, root: rootOf(request), error: error.message, token, typed, least };
      return sendSetUpPage(reply.raw, page);
    }
  });
}
