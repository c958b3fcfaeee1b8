// What must be remembered between leaving for an identity provider and coming back: sealed, in a cookie of the browser.
import { ApiError } from '@pressroom/api';
import { readCookie } from '../auth/authenticator.ts';
import type { Attempt } from '../auth/providers/provider.ts';
import type { Services } from '../services.ts';

const ATTEMPT_COOKIE = 'pressroom-sign-in';
const PURPOSE = 'sign-in attempt';
/** Seconds: ten minutes. */
const LIFETIME = 600;

interface Remembered {
  readonly attempt: Attempt;
  /** The local path to go to afterwards. */
  readonly next: string;
}

export interface Attempts {
  cookie(remembered: Remembered, base: string): string;
  cleared(base: string): string;
  /** @throws ApiError 99 when this browser did not begin to sign in, or too long ago. */
  read(cookies: string | undefined): Remembered;
}

export function createAttempts({ secrets, clock }: Pick<Services, 'secrets' | 'clock'>): Attempts {
  return {
    cookie(remembered, base) {
      const expires = clock.now() + LIFETIME * 1_000_000;
      const sealed = secrets.encrypt(JSON.stringify({ ...remembered, expires }), PURPOSE);
      return `${ATTEMPT_COOKIE}=${sealed}${attributes(base, LIFETIME)}`;
    },
    cleared: (base) => `${ATTEMPT_COOKIE}=${attributes(base, 0)}`,
    read(cookies) {
      const again = 'sign in again: it took too long, or was begun in another browser';
      const sealed = readCookie(cookies, ATTEMPT_COOKIE);
      if (sealed === null) throw new ApiError(99, { message: again });
      let opened: Remembered & { readonly expires: number };
      try {
        opened = JSON.parse(secrets.decrypt(sealed, PURPOSE)) as typeof opened;
      } catch (cause) {
        throw new ApiError(99, { message: again, cause });
      }
      if (opened.expires <= clock.now()) throw new ApiError(99, { message: again });
      return opened;
    },
  };
}

function attributes(base: string, maxAge: number): string {
  const path = `${new URL(base).pathname.replace(/\/$/, '')}/__login__`;
  const secure = base.startsWith('https:') ? '; Secure' : '';
  return `; HttpOnly; Path=${path}; SameSite=Lax; Max-Age=${maxAge}${secure}`;
}
