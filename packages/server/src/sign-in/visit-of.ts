// Reads the visitor from a request.
import type { IncomingHttpHeaders } from 'node:http';
import { SESSION_COOKIE } from '../http/cookie-names.ts';
import { readCookie } from '../http/read-cookie.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { Visit } from './visit.ts';

interface Parts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
}

export const DEVICE_COOKIE = 'pressroom-device';
const PURPOSE = 'device';
/** Seconds: a year. */
const DEVICE_LIFETIME = 31_536_000;

interface Device {
  readonly id: string;
  /** The account that signed in: the browser is known for this one only. */
  readonly username: string;
}

/** @param username if known: the browser may be known for that account. */
export function visitOf(
  { secrets, clock }: Pick<Parts, 'clock' | 'secrets'>,
  headers: IncomingHttpHeaders,
  address: string,
  username?: string,
): Visit {
  const cookie = username === undefined ? null : readCookie(headers.cookie, DEVICE_COOKIE);
  const device =
    cookie === null ? null : verified(() => secrets.verify<Device>(cookie, PURPOSE, clock.now()));
  return {
    address,
    agent: headers['user-agent'] ?? '',
    previous: readCookie(headers.cookie, SESSION_COOKIE),
    device: device !== null && device.username === username?.toLowerCase() ? device.id : null,
  };
}

/** A cookie that identifies a known browser: guesses of strangers do not delay its owner. */
export function deviceCookie({ secrets, clock, ids }: Parts, username: string, base: string): string {
  const device: Device = { id: ids.uuid(), username: username.toLowerCase() };
  const value = secrets.sign(device, PURPOSE, clock.now() + DEVICE_LIFETIME * 1_000_000);
  const path = `${new URL(base).pathname.replace(/\/$/, '')}/__login__`;
  const secure = base.startsWith('https:') ? '; Secure' : '';
  return `${DEVICE_COOKIE}=${value}; HttpOnly; Path=${path}; SameSite=Lax; Max-Age=${DEVICE_LIFETIME}${secure}`;
}

/** Untrusted input may be no ticket at all. */
function verified<T>(read: () => T | null): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
