// The secret key: what one must look like, and the file that holds it where no setting does.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../errors.ts';

const CHARACTERS = 32;
/** Of a text of random letters; "aaaa…" and "passwordpassword…" have fewer. */
const DIFFERENT = 10;

/** Nothing that somebody could guess: 32 random bytes in base64 or hex, or a text as long that is not just repeated. */
export function isStrongKey(key: string): boolean {
  if (key.length < CHARACTERS || new Set(key).size < DIFFERENT) return false;
  // A word over and over: the text is the same, moved by the length of the word.
  for (let length = 1; length <= key.length / 2; length++) {
    if (key.slice(length) === key.slice(0, -length)) return false;
  }
  return true;
}

/** The keys of `Secrets.PreviousKeys`: separated by commas, or one that has commas in it. */
export function previousKeys(setting: string): string[] {
  const keys = [setting, ...setting.split(',')].map((key) => key.trim());
  return [...new Set(keys)].filter((key) => key !== '');
}

export function newSecretKey(): string {
  return randomBytes(32).toString('base64');
}

/** The key file of a data directory, made on first use and readable by the server's account only. */
export function readSecretKey(dataDir: string): string {
  const file = join(dataDir, 'secret.key');
  if (!existsSync(file)) keepSecretKey(dataDir, newSecretKey());
  chmodSync(file, 0o600);
  const key = readFileSync(file, 'utf8').trim();
  if (key === '')
    throw new Error(`${file} is empty: put it back from a backup; without it nothing sealed can be read`);
  return key;
}

/** Whole or not at all, and of two servers that make one only the first counts. */
export function keepSecretKey(dataDir: string, key: string): void {
  const file = join(dataDir, 'secret.key');
  const whole = `${file}.${process.pid}`;
  const fd = openSync(whole, 'w', 0o600);
  writeSync(fd, key);
  fsyncSync(fd);
  closeSync(fd);
  try {
    linkSync(whole, file);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  } finally {
    unlinkSync(whole);
  }
}
