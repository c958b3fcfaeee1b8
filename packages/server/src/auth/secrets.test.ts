// The key that everything is sealed with.
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSecretKey } from './secrets.ts';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'pressroom-key-'))));
afterEach(() => rmSync(directory, { recursive: true }));

it('is made once, for the account of the server alone', () => {
  const key = readSecretKey(directory);
  expect(key).toHaveLength(44);
  expect(readSecretKey(directory)).toBe(key);
  expect(readdirSync(directory)).toEqual(['secret.key']);
  expect(statSync(join(directory, 'secret.key')).mode & 0o777).toBe(0o600);
});

it('that is empty stops the start, for everybody knows it', () => {
  writeFileSync(join(directory, 'secret.key'), '\n');
  expect(() => readSecretKey(directory)).toThrow(/secret\.key is empty/);
});
