// State between leaving for an identity provider and returning: encrypted, in a cookie.
import { errors } from '@pressroom/api/contract';
import { ATTEMPT_COOKIE, ownCookieName } from '../../http/cookie-names.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { readCookie } from '../authenticator.ts';
import type { Attempt } from '../providers/provider.ts';

interface Parts {
  readonly clock: Clock;
  readonly secrets: Secrets;
}

const PURPOSE = 'sign-in attempt';
/** Seconds: ten minutes. */
const LIFETIME = 600;

interface Remembered {
  readonly attempt: Attempt;
  /** Local path to continue at. */
  readonly next: string;
}

export interface Attempts {
  cookie(remembered: Remembered, base: string): string;
  cleared(base: string): string;
  /** @throws ApiError 99 if this browser did not start the sign-in, or too long ago. */
  read(cookies: string | undefined): Remembered;
}

export function createAttempts({ secrets, clock }: Parts): Attempts {
  return {
    cookie(remembered, base) {
      const expires = clock.now() + LIFETIME * 1_000_000;
      const sealed = secrets.encrypt(JSON.stringify({ ...remembered, expires }), PURPOSE);
      return `${ownCookieName(ATTEMPT_COOKIE, base)}=${sealed}${attributes(base, LIFETIME)}`;
    },
    cleared: (base) => `${ownCookieName(ATTEMPT_COOKIE, base)}=${attributes(base, 0)}`,
    read(cookies) {
      const again = 'the sign-in expired or was started in another browser: sign in again';
      const sealed = readCookie(cookies, ATTEMPT_COOKIE);
      if (sealed === null) throw errors.reauthenticationRequired({ message: again });
      let opened: Remembered & { readonly expires: number };
      try {
        opened = secrets.decryptJson<typeof opened>(sealed, PURPOSE);
      } catch (cause) {
        throw errors.reauthenticationRequired({ message: again, cause });
      }
      if (opened.expires <= clock.now()) throw errors.reauthenticationRequired({ message: again });
      return opened;
    },
  };
}

function attributes(base: string, maxAge: number): string {
  const isSecure = base.startsWith('https:');
  // The prefix that no other host can set over https requires path `/`.
  const path = isSecure ? '/' : `${new URL(base).pathname.replace(/\/$/, '')}/__login__`;
  const secure = isSecure ? '; Secure' : '';
  return `; HttpOnly; Path=${path}; SameSite=Lax; Max-Age=${maxAge}${secure}`;
}
