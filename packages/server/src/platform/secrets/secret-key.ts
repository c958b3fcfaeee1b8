// The secret key: its required form, and its file if no setting has it.
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
/** Minimum different characters of a random text; "aaaa…" and "passwordpassword…" have fewer. */
const DIFFERENT = 10;

/** Not guessable: 32 random bytes in base64 or hex, or a text of that length without repetition. */
export function isStrongKey(key: string): boolean {
  if (key.length < CHARACTERS || new Set(key).size < DIFFERENT) return false;
  // A repeated word: the text equals itself shifted by the word's length.
  for (let length = 1; length <= key.length / 2; length++) {
    if (key.slice(length) === key.slice(0, -length)) return false;
  }
  return true;
}

/** The keys in `Secrets.PreviousKeys`: comma-separated, or a single one that contains commas. */
export function previousKeys(setting: string): string[] {
  const keys = [setting, ...setting.split(',')].map((key) => key.trim());
  return [...new Set(keys)].filter((key) => key !== '');
}

export function newSecretKey(): string {
  return randomBytes(32).toString('base64');
}

/** The key file of a data directory, created on first use and readable by the server's account only. */
export function readSecretKey(dataDir: string): string {
  const file = join(dataDir, 'secret.key');
  if (!existsSync(file)) keepSecretKey(dataDir, newSecretKey());
  chmodSync(file, 0o600);
  const key = readFileSync(file, 'utf8').trim();
  if (key === '')
    throw new Error(`${file} is empty: put it back from a backup; without it nothing sealed can be read`);
  return key;
}

/** Atomic: of two servers that create one, the first wins. */
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
