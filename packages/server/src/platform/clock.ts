// Time, ids and randomness: the one place they come from, so that tests can control them.
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { Micros } from './database/schema.ts';

export interface Clock {
  /** Microseconds since the epoch; strictly increasing, unless the system clock is set back by more than a minute. */
  now(): Micros;
}

export interface Ids {
  uuid(): string;
  /** 16 characters of `[A-Za-z0-9]`. */
  taskId(): string;
  /** 8 letters that are hard to confuse and form no words: 34 random bits. */
  userCode(): string;
  /** 32 letters and digits, 190 random bits: the known form of API keys. */
  apiKey(): string;
  /** 256 random bits in URL-safe text. */
  secret(): string;
}

/** From RFC 8628, 6.1. */
const CONSONANTS = 'BCDFGHJKLMNPQRSTVWXZ';
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Microseconds. After larger steps back of the system clock, the earlier time was wrong, and is not waited for. */
const MAX_STEP_BACK: Micros = 60_000_000;

export function systemClock(): Clock {
  let last = 0;
  return {
    now() {
      const time = Date.now() * 1000;
      last = time < last - MAX_STEP_BACK ? time : Math.max(last + 1, time);
      return last;
    },
  };
}

export function systemIds(): Ids {
  return {
    uuid: randomUUID,
    taskId: () => drawn(ALPHABET, 16),
    apiKey: () => drawn(ALPHABET, 32),
    userCode: () => drawn(CONSONANTS, 8),
    secret: () => randomBytes(32).toString('base64url'),
  };
}

function drawn(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** The current time for expiry in queries; unlike the clock, not strictly increasing. */
export function queryTime(): Micros {
  return Date.now() * 1000;
}

/** Milliseconds for a timer, limited to 2^31 - 1: about 25 days. */
export function timerMs(seconds: number): number {
  return Math.min(seconds * 1000, 2 ** 31 - 1);
}

/** RFC 3339 in UTC with a literal Z, as clients expect. */
export function toTimestamp(time: Micros): string {
  return new Date(Math.floor(time / 1000)).toISOString();
}

/** Without the fraction of the second. */
export function toWholeSeconds(time: Micros): string {
  return toTimestamp(time).replace(/\.\d+/, '');
}
