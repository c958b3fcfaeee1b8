// /__login__/second and /__login__/passkey: the step after, or instead of, the password.
import { ApiError } from '@pressroom/api/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SecurityEvents } from '../../audit/security-events.ts';
import type { BaseUrl } from '../../http/base-url.ts';
import { localPath } from '../../http/local-path.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { SessionParts } from '../begin-session.ts';
import type { SignInProvider } from '../providers/provider.ts';
import { offerTotp } from '../second-factors/commands.ts';
import { askForPasskey, mayHavePasskeys } from '../second-factors/passkeys.ts';
import {
  finishWithCode,
  finishWithNewTotp,
  finishWithPasskey,
  resumeStep,
  type Step,
} from '../second-factors/second-step.ts';
import { signInWithPasskey } from '../sessions.ts';
import type { Throttle } from '../throttle.ts';
import { sendEnrolPage, sendRecoveryCodesPage, sendSecondStepPage } from './pages.ts';
import type { SignInParts } from './parts.ts';

interface Parts extends SessionParts {
  readonly events: SecurityEvents;
  readonly secrets: Secrets;
  readonly provider: SignInProvider;
  readonly throttle: Throttle;
}

interface Shown {
  readonly status: number;
  readonly next: string;
  readonly error: string | null;
  /** The QR code shown before. */
  readonly offer?: string | undefined;
}

export interface SecondStep {
  show(request: FastifyRequest, reply: FastifyReply, step: Step, shown: Shown): Promise<void>;
}

/** @param again shows the sign-in page with the error. */
export function mountSecondStep(
  app: FastifyInstance,
  parts: Parts,
  base: BaseUrl,
  { rootOf, visitOf, welcome, setCookies, readForm }: SignInParts,
  again: (request: FastifyRequest, reply: FastifyReply, shown: Shown) => Promise<void>,
): SecondStep {
  async function show(request: FastifyRequest, reply: FastifyReply, step: Step, shown: Shown): Promise<void> {
    const here = base.of(request.raw);
    const page = { ...shown, root: rootOf(request), step: step.sealed };
    if (step.kind === 'enrol') {
      const offer = offerTotp(parts, step.user, shown.offer);
      reply.hijack();
      sendEnrolPage(reply.raw, { ...page, offer });
      return;
    }
    const passkey =
      step.passkeys && mayHavePasskeys(here) ? await askForPasskey(parts, step.user, here) : null;
    reply.hijack();
    sendSecondStepPage(reply.raw, { ...page, codes: step.totp, passkey });
  }

  app.post('/__login__/second', async (request, reply) => {
    const form = await readForm(request);
    const next = localPath(form.next);
    let step: Step | null = null;
    try {
      step = await resumeStep(parts, form.step ?? '');
      const visit = visitOf(request, step.user.username);
      const { state, response, offer, code = '' } = form;
      if (offer !== undefined) {
        const { signedIn, codes } = await finishWithNewTotp(parts, step, { sealed: offer, code }, visit);
        setCookies(request, reply, signedIn);
        const cookies = reply.getHeader('Set-Cookie');
        reply.hijack();
        reply.raw.setHeader('Set-Cookie', cookies as string[]);
        return sendRecoveryCodesPage(reply.raw, codes, `${rootOf(request)}${next}`);
      }
      const signedIn =
        state === undefined || response === undefined
          ? await finishWithCode(parts, step, code, visit)
          : await finishWithPasskey(parts, step, { state, response }, base.of(request.raw), visit);
      return welcome(request, reply, signedIn, next);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const shown = { status: error.status, next, error: error.message };
      if (step === null || error.code === 99) return again(request, reply, shown);
      return show(request, reply, step, { ...shown, offer: form.offer });
    }
  });

  app.post('/__login__/passkey', async (request, reply) => {
    const form = await readForm(request);
    const next = localPath(form.next);
    try {
      const response = { state: form.state ?? '', response: form.response ?? '' };
      const signedIn = await signInWithPasskey(parts, response, base.of(request.raw), visitOf(request));
      return welcome(request, reply, signedIn, next);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return again(request, reply, { status: error.status, next, error: error.message });
    }
  });

  return { show };
}
