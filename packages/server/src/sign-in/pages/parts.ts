// Shared parts of the sign-in routes: paths, visitors, and form fields.
import { errors } from '@pressroom/api/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BaseUrl } from '../../http/base-url.ts';
import { readForm } from '../../http/read-form.ts';
import { isCrossOrigin } from '../../http/request-forgery.ts';
import type { Clock, Ids } from '../../platform/clock.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { SignedIn } from '../begin-session.ts';
import { deviceCookie, visitOf } from '../visit-of.ts';
import type { Visit } from '../visit.ts';
import { setSessionCookies } from './cookies.ts';

/** In the query of the sign-in page: the visitor has just set a password. */
export const PASSWORD_SET = 'password-set';

interface Parts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
}

export interface SignInParts {
  /** Path of the server as the browser sees it, without a trailing slash. */
  rootOf(request: FastifyRequest): string;
  visitOf(request: FastifyRequest, username?: string): Visit;
  /** Sets the session cookies, and redirects to a local path. */
  welcome(request: FastifyRequest, reply: FastifyReply, signedIn: SignedIn, next: string): FastifyReply;
  setCookies(request: FastifyRequest, reply: FastifyReply, signedIn: SignedIn): void;
  /** The fields of one of our forms. @throws ApiError 87; 92 for a form of another site */
  readForm(request: FastifyRequest): Promise<Readonly<Record<string, string>>>;
}

export function createSignInParts(parts: Parts, base: BaseUrl): SignInParts {
  const rootOf = (request: FastifyRequest) => new URL(base.of(request.raw)).pathname.replace(/\/$/, '');
  const setCookies = (request: FastifyRequest, reply: FastifyReply, signedIn: SignedIn) => {
    const here = base.of(request.raw);
    setSessionCookies(reply, signedIn, here, [deviceCookie(parts, signedIn.user.username, here)]);
  };
  return {
    rootOf,
    visitOf: (request, username) => visitOf(parts, request.headers, base.visitor(request.raw), username),
    setCookies,
    welcome(request, reply, signedIn, next) {
      setCookies(request, reply, signedIn);
      return reply.redirect(`${rootOf(request)}${next}`, 303);
    },
    async readForm(request) {
      // Another site must not sign a visitor in as a person of its choice.
      if (isCrossOrigin(request.headers, new URL(base.of(request.raw)).origin))
        throw errors.xsrfTokenMismatch();
      return Object.fromEntries(await readForm(request.raw));
    },
  };
}
