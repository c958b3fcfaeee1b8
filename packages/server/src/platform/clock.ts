// Time, ids and randomness: the one place they come from, so that tests can hold them still.
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { Micros } from './database/schema.ts';

export interface Clock {
  /** Microseconds since the epoch, never the same twice, unless the clock of the machine is put back by more than a minute. */
  now(): Micros;
}

export interface Ids {
  uuid(): string;
  /** 16 characters of `[A-Za-z0-9]`. */
  taskId(): string;
  /** 8 letters that people do not mix up, and that make no words: 34 random bits. */
  userCode(): string;
  /** 32 letters and digits, 190 random bits: the form that clients know API keys by. */
  apiKey(): string;
  /** 256 random bits in URL-safe text. */
  secret(): string;
}

/** Of RFC 8628, 6.1. */
const CONSONANTS = 'BCDFGHJKLMNPQRSTVWXZ';
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Microseconds by which a clock is put right while it goes on: what was ahead by more was wrong, and is not waited for. */
const PUT_RIGHT: Micros = 60_000_000;

export function systemClock(): Clock {
  let last = 0;
  return {
    now() {
      const time = Date.now() * 1000;
      last = time < last - PUT_RIGHT ? time : Math.max(last + 1, time);
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

/** The time by which queries tell what has ended; unlike a clock it may be the same twice. */
export function queryTime(): Micros {
  return Date.now() * 1000;
}

/** Milliseconds for a timer, which takes no more than 2^31 - 1: some 25 days. */
export function timerMs(seconds: number): number {
  return Math.min(seconds * 1000, 2 ** 31 - 1);
}

/** RFC 3339 in UTC with a literal Z, as clients expect. */
export function toTimestamp(time: Micros): string {
  return new Date(Math.floor(time / 1000)).toISOString();
}
