// State between leaving for an identity provider and returning: encrypted, in a cookie.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { errors } from '@pressroom/api/contract';
import { ATTEMPT_COOKIE, ownCookieName } from '../../http/cookie-names.ts';
import { readCookie } from '../../http/read-cookie.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Micros } from '../../platform/database/schema.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { before } from '../../platform/text.ts';
import { hashSecret } from '../authenticator.ts';
import type { Attempt } from '../providers/provider.ts';

interface Parts {
  readonly clock: Clock;
  readonly secrets: Secrets;
}

const PURPOSE = 'sign-in attempt';
/** Microseconds: ten minutes. */
const LIFETIME = 600_000_000;

/** Maximum bytes of a cookie: browsers drop more than 4096. */
const MAX_BYTES = 3800;
/** Maximum bytes of other attempts' cookies: proxies accept about 8000 of all cookies. */
const MAX_OTHERS_BYTES = 3000;
const ANY = new RegExp(`${ATTEMPT_COOKIE}-[0-9a-f]{12}(?==)[^;]*`, 'g');

interface Remembered {
  readonly attempt: Attempt;
  /** Local path to continue at. */
  readonly next: string;
}

/** Each attempt has its own cookie: several tabs may sign in at once. */
export interface Attempts {
  /** @param cookies of the browser: removes the oldest attempts if there are many. */
  begin(remembered: Remembered, cookies: string | undefined, base: string): string[];
  cleared(state: string, base: string): string;
  /** @throws ApiError 99 if this browser did not start the sign-in, or too long ago; 98 for an unrequested response. */
  read(state: string, cookies: string | undefined): Remembered & { readonly since: Micros };
}

export function createAttempts({ secrets, clock }: Parts): Attempts {
  const cleared = (name: string, base: string) => `${ownCookieName(name, base)}=${attributes(base, 0)}`;
  return {
    begin({ attempt, next }, cookies = '', base) {
      const expires = clock.now() + LIFETIME;
      const seal = (path: string) => {
        const packed = deflateRawSync(path).toString('base64');
        return secrets.encrypt(JSON.stringify({ attempt, next: packed, expires }), PURPOSE);
      };
      const whole = seal(next);
      const sealed = whole.length > MAX_BYTES ? seal('/') : whole;
      let room = MAX_OTHERS_BYTES;
      const older = (cookies.match(ANY) ?? []).reverse().filter((pair) => (room -= pair.length) < 0);
      return [
        `${ownCookieName(nameOf(attempt.state), base)}=${sealed}${attributes(base, LIFETIME / 1_000_000)}`,
        ...older.map((pair) => cleared(before(pair, '='), base)),
      ];
    },
    cleared: (state, base) => cleared(nameOf(state), base),
    read(state, cookies) {
      const again = 'the sign-in expired or was started in another browser: sign in again';
      const sealed = readCookie(cookies, nameOf(state));
      // There are attempts, but none for this response: it was not requested.
      if (sealed === null && cookies?.match(ANY)) throw errors.loginFailed();
      if (sealed === null) throw errors.reauthenticationRequired({ message: again });
      let opened: Remembered & { readonly expires: number };
      try {
        opened = secrets.decryptJson<typeof opened>(sealed, PURPOSE);
      } catch (cause) {
        throw errors.reauthenticationRequired({ message: again, cause });
      }
      if (opened.expires <= clock.now()) throw errors.reauthenticationRequired({ message: again });
      const next = inflateRawSync(Buffer.from(opened.next, 'base64')).toString();
      return { attempt: opened.attempt, next, since: opened.expires - LIFETIME };
    },
  };
}

function nameOf(state: string): string {
  return `${ATTEMPT_COOKIE}-${hashSecret(state).slice(0, 12)}`;
}

function attributes(base: string, maxAge: number): string {
  const isSecure = base.startsWith('https:');
  // The prefix that no other host can set over https requires path `/`.
  const path = isSecure ? '/' : `${new URL(base).pathname.replace(/\/$/, '')}/__login__`;
  const secure = isSecure ? '; Secure' : '';
  return `; HttpOnly; Path=${path}; SameSite=Lax; Max-Age=${maxAge}${secure}`;
}
