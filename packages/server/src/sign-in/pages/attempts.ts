// What must be remembered between leaving for an identity provider and coming back: sealed, in a cookie of the browser.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { errors } from '@pressroom/api/contract';
import { ATTEMPT_COOKIE, ownCookieName } from '../../http/cookie-names.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Micros } from '../../platform/database/schema.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { before } from '../../platform/text.ts';
import { hashSecret, readCookie } from '../authenticator.ts';
import type { Attempt } from '../providers/provider.ts';

interface Parts {
  readonly clock: Clock;
  readonly secrets: Secrets;
}

const PURPOSE = 'sign-in attempt';
/** Microseconds: ten minutes. */
const LIFETIME = 600_000_000;

/** Bytes: browsers drop a cookie of more than 4096. */
const LONGEST = 3800;
/** Bytes of all that are kept beside a new one: proxies take about 8000 of cookies. */
const MOST_BESIDE = 3000;
const ANY = new RegExp(`${ATTEMPT_COOKIE}-[0-9a-f]{12}(?==)[^;]*`, 'g');

interface Remembered {
  readonly attempt: Attempt;
  /** The local path to go to afterwards. */
  readonly next: string;
}

/** Each attempt has a cookie of its own: tabs may sign in at once. */
export interface Attempts {
  /** @param cookies those of the browser: the oldest attempts end, where there are many. */
  begin(remembered: Remembered, cookies: string | undefined, base: string): string[];
  cleared(state: string, base: string): string;
  /** @throws ApiError 99 when this browser did not begin to sign in, or too long ago. */
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
      const sealed = whole.length > LONGEST ? seal('/') : whole;
      let room = MOST_BESIDE;
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
      // An answer that fits none of the attempts that there are was not asked for.
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
  // The prefix that over https no other host can set requires all paths.
  const path = isSecure ? '/' : `${new URL(base).pathname.replace(/\/$/, '')}/__login__`;
  const secure = isSecure ? '; Secure' : '';
  return `; HttpOnly; Path=${path}; SameSite=Lax; Max-Age=${maxAge}${secure}`;
}
