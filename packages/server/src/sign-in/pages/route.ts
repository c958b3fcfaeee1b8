// /__login__ and below, /__logout__, /__confirm__ and /__ping__: beside the API (interop.md).
import { ApiError, errors } from '@pressroom/api/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SecurityEvents } from '../../audit/security-events.ts';
import type { BaseUrl } from '../../http/base-url.ts';
import { clearedCookies, SESSION_COOKIE } from '../../http/cookie-names.ts';
import { toApiError } from '../../http/error-handler.ts';
import { localPath } from '../../http/local-path.ts';
import { escapeHtml, sendHtml, sendPage } from '../../http/pages.ts';
import { API_PREFIX, DASHBOARD_PREFIX } from '../../http/paths.ts';
import { queryValue } from '../../http/query-string.ts';
import { readCookie } from '../../http/read-cookie.ts';
import { formIn, readForm } from '../../http/read-form.ts';
import { readText } from '../../http/read-text.ts';
import { isCrossOrigin } from '../../http/request-forgery.ts';
import { confirmUser, userToConfirm } from '../../people/confirm-user.ts';
import { presentUser } from '../../people/present.ts';
import type { Mailer } from '../../platform/mailer.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { beginSession, type SessionParts, type SignedIn } from '../begin-session.ts';
import { hasSessionSince } from '../fresh-session.ts';
import { mayMailResets } from '../passwords/commands.ts';
import { isTooLong } from '../passwords/password-policy.ts';
import type { Passwords } from '../passwords/passwords.ts';
import type { SignInProvider, VouchedPerson } from '../providers/provider.ts';
import { askForPasskey, mayHavePasskeys } from '../second-factors/passkeys.ts';
import { finishWithCode, type Step } from '../second-factors/second-step.ts';
import { signInPerson, signInWithPassword, signOut } from '../sessions.ts';
import { SIGN_IN_LINK_PATH, useSignInLink } from '../sign-in-link.ts';
import type { Throttle } from '../throttle.ts';
import { noteFailure, type Visit } from '../visit.ts';
import { createAttempts } from './attempts.ts';
import { setSessionCookies } from './cookies.ts';
import { sendConfirmPage, sendSignInPage } from './pages.ts';
import { createSignInParts, PASSWORD_SET } from './parts.ts';
import { mountPasswords } from './password-route.ts';
import { mountSecondStep } from './second-step-route.ts';

interface Parts extends SessionParts {
  readonly events: SecurityEvents;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly provider: SignInProvider;
  readonly throttle: Throttle;
  readonly mailer: Mailer | null;
}

export function mountSignIn(app: FastifyInstance, services: Parts, base: BaseUrl): void {
  const { provider, authenticator, log } = services;
  const { signIn } = provider;
  const attempts = createAttempts(services);
  const parts = createSignInParts(services, base);
  const { rootOf, visitOf, welcome } = parts;

  /** The sign-in page, with the error of the submitted form. */
  async function showSignIn(
    request: FastifyRequest,
    reply: FastifyReply,
    shown: {
      readonly status: number;
      readonly next: string;
      readonly error: string | null;
      readonly note?: string | null;
      readonly username?: string;
    },
  ): Promise<void> {
    const here = base.of(request.raw);
    const passkeys = provider.kind === 'password' && mayHavePasskeys(here);
    const passkey = passkeys ? await askForPasskey(services, null, here) : null;
    const forgotten = provider.kind === 'password' && mayMailResets(services);
    reply.hijack();
    const root = rootOf(request);
    sendSignInPage(reply.raw, { note: null, username: '', ...shown, root, passkey, forgotten });
  }

  const secondStep = mountSecondStep(app, services, base, parts, showSignIn);
  mountPasswords(app, services, base, parts, secondStep);

  async function refuse(
    request: FastifyRequest,
    reply: FastifyReply,
    error: unknown,
    person: VouchedPerson | null,
    next = '/',
  ): Promise<void> {
    const refusal = toApiError(error);
    await noteFailure(services, person?.username ?? null, provider.kind, visitOf(request), refusal);
    if (refusal.code === 1) log.error({ err: error }, 'signing in failed');
    reply.hijack();
    if (refusal.retryAfter !== null) reply.raw.setHeader('Retry-After', refusal.retryAfter);
    const title = 'You could not be signed in';
    // Visitors are not shown the cause, but learn who can read it.
    const more =
      refusal.cause === undefined ? '' : '<p>Administrators find the reason in the log of the server.</p>';
    const query = next === '/' ? '' : `?${new URLSearchParams({ next }).toString()}`;
    const again = `${rootOf(request)}/__login__${query}`;
    sendHtml(
      reply.raw,
      refusal.status,
      title,
      `<h1>${title}</h1><p>${escapeHtml(refusal.message)}</p>${more}<p><a href="${escapeHtml(again)}">Sign in</a></p>`,
    );
  }

  app.get('/__ping__', () => ({}));

  app.get('/__login__', async (request, reply) => {
    const next = localPath(queryValue(request.query, 'next'));
    if (signIn.by === 'form') {
      const isSet = queryValue(request.query, PASSWORD_SET) !== undefined;
      const note = isSet ? 'Your password is set. Sign in with it.' : null;
      return showSignIn(request, reply, { status: 200, next, error: null, note });
    }
    let person: VouchedPerson | null = null;
    try {
      if (signIn.by === 'header') {
        person = signIn.read(request.headers);
        if (!person) throw errors.authenticationRequired({ message: 'the proxy did not send a username' });
        const signedIn = await signInPerson(services, person, visitOf(request));
        return await welcome(request, reply, signedIn, next);
      }
      const { location, attempt } = await signIn.begin();
      const cookies = attempts.begin({ attempt, next }, request.headers.cookie, base.of(request.raw));
      return await reply.header('Set-Cookie', cookies).redirect(location, 302);
    } catch (error) {
      return refuse(request, reply, error, person, next);
    }
  });

  const postSignIn = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    // Another site must not sign a visitor in as a person of its choice.
    if (isCrossOrigin(request.headers, new URL(base.of(request.raw)).origin))
      throw errors.xsrfTokenMismatch();
    const { values, form } = readCredentials(await readText(request.raw));
    const { username, password, code } = values;
    const next = localPath(values.next);
    const visit = visitOf(request, username);
    try {
      const entry = await signInWithPassword(services, username, password, visit);
      if (form) {
        if ('signedIn' in entry) return await welcome(request, reply, entry.signedIn, next);
        return await secondStep.show(request, reply, entry.step, { status: 200, next, error: null });
      }
      const signedIn = 'signedIn' in entry ? entry.signedIn : await finish(services, entry.step, code, visit);
      setSessionCookies(reply, signedIn, base.of(request.raw));
      return presentUser(signedIn.user, { email: true });
    } catch (error) {
      if (!form || !(error instanceof ApiError)) throw error;
      if (error.retryAfter !== null) reply.raw.setHeader('Retry-After', error.retryAfter);
      return showSignIn(request, reply, { status: error.status, next, error: error.message, username });
    }
  };
  app.post('/__login__', postSignIn);
  // Some clients prefix every path.
  app.post(`${API_PREFIX}/__login__`, postSignIn);

  app.get(SIGN_IN_LINK_PATH, async (request, reply) => {
    try {
      const user = await useSignInLink(services, queryValue(request.query, 'token') ?? '');
      const signedIn = await beginSession(services, user, visitOf(request, user.username), 'a link');
      return await welcome(request, reply, signedIn, `${DASHBOARD_PREFIX}/`);
    } catch (error) {
      return refuse(request, reply, error, null);
    }
  });

  if (signIn.by === 'redirect') {
    app.get('/__login__/callback', async (request, reply) => {
      const response = new URL(request.url, 'http://localhost').searchParams;
      const state = response.get('state') ?? '';
      let person: VouchedPerson | null = null;
      let next: string | undefined;
      let since = Infinity;
      try {
        const remembered = attempts.read(state, request.headers.cookie);
        ({ next, since } = remembered);
        reply.header('Set-Cookie', attempts.cleared(state, base.of(request.raw)));
        person = await signIn.finish(response, remembered.attempt);
        const visit = { ...visitOf(request), since: remembered.since };
        const signedIn = await signInPerson(services, person, visit);
        return await welcome(request, reply, signedIn, next);
      } catch (error) {
        // A provider may accept only the last tab's response: the others use that tab's session.
        const isUseless = error instanceof ApiError && error.code === 98;
        if (isUseless && (await hasSessionSince(services, visitOf(request), since)))
          return reply.redirect(`${rootOf(request)}${next ?? '/'}`, 303);
        return refuse(request, reply, error, person, next);
      }
    });
    const { receive, metadata } = signIn;
    if (receive) {
      app.post('/__login__/callback', async (request, reply) => {
        try {
          const form = await readForm(request.raw);
          const query = await receive(form, base.visitor(request.raw));
          return await reply.redirect(`${rootOf(request)}/__login__/callback?${query.toString()}`, 303);
        } catch (error) {
          return refuse(request, reply, error, null);
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
    // The browser should continue there, so that the proxy signs the visitor out, too.
    return signIn.by === 'header' && signIn.signOutUrl !== '' ? { location: signIn.signOutUrl } : {};
  });

  // Programs that look at mail open the links in it: only the button confirms.
  app.get('/__confirm__', async (request, reply) => {
    const ticket = queryValue(request.query, 'ticket') ?? '';
    try {
      const user = await userToConfirm(services.storage.db, services, ticket);
      reply.hijack();
      sendConfirmPage(reply.raw, { root: rootOf(request), ticket, user });
    } catch (error) {
      refuseToConfirm(reply, error);
    }
  });

  app.post('/__confirm__', async (request, reply) => {
    const { ticket = '' } = await parts.readForm(request);
    try {
      await confirmUser(services, ticket);
      reply.hijack();
      sendPage(reply.raw, 200, CONFIRM, 'Your address is confirmed. You can sign in now.');
    } catch (error) {
      refuseToConfirm(reply, error);
    }
  });
}

const CONFIRM = 'Confirm your address';

function refuseToConfirm(reply: FastifyReply, error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
  reply.hijack();
  sendPage(reply.raw, error.status, CONFIRM, error.message);
}

/**
 * Programs send the authenticator code with the password; other second factors need a browser. @throws ApiError 30, 99
 */
function finish(
  services: SessionParts & Pick<Parts, 'events' | 'secrets' | 'throttle'>,
  step: Step,
  code: string | undefined,
  visit: Visit,
): Promise<SignedIn> {
  if (code !== undefined && step.kind === 'prove') return finishWithCode(services, step, code, visit);
  const message =
    step.kind === 'enrol'
      ? 'this account must have a second factor: sign in with a browser to set it up'
      : 'this account has a second factor: send its code as code, or use an API key';
  throw errors.reauthenticationRequired({ message });
}

interface Credentials {
  username: string;
  password: string;
  next?: string;
  code?: string;
}

/** JSON from programs, a form from the sign-in page. @throws ApiError 87, 12 */
function readCredentials(text: string): { values: Credentials; form: boolean } {
  const form = !text.trimStart().startsWith('{');
  let values: Partial<Record<string, unknown>>;
  try {
    values = form ? Object.fromEntries(formIn(text)) : (JSON.parse(text) as Record<string, unknown>);
  } catch (cause) {
    throw cause instanceof ApiError ? cause : errors.unreadableBody({ cause });
  }
  const { username, password, next, code } = values;
  if (typeof username !== 'string' || typeof password !== 'string') {
    throw errors.parameterMissing({ message: 'username and password are needed' });
  }
  const long = username.length > 255 || isTooLong(password);
  if (long || username.includes('\0') || password.includes('\0')) throw errors.invalidCredentials();
  const more = { ...(typeof next === 'string' && { next }), ...(typeof code === 'string' && { code }) };
  return { values: { username, password, ...more }, form };
}
