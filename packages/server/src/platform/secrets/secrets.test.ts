// Covers the secret key that encrypts everything stored.
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isStrongKey, readSecretKey } from './secret-key.ts';
import { createSecrets } from './secrets.ts';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'pressroom-key-'))));
afterEach(() => rmSync(directory, { recursive: true }));

it('creates the key file once, readable by the server account only', () => {
  const key = readSecretKey(directory);
  expect(key).toHaveLength(44);
  expect(readSecretKey(directory)).toBe(key);
  expect(readdirSync(directory)).toEqual(['secret.key']);
  expect(statSync(join(directory, 'secret.key')).mode & 0o777).toBe(0o600);
});

it('rejects an empty key file', () => {
  writeFileSync(join(directory, 'secret.key'), '\n');
  expect(() => readSecretKey(directory)).toThrow(/secret\.key is empty/);
});

it.each(['a', '', 'a'.repeat(64), 'password'.repeat(8), 'secret-secret-secret-secret-secret-'])(
  'rejects %j as a weak key',
  (key) => {
    expect(isStrongKey(key)).toBe(false);
  },
);

it('accepts 32 random bytes in base64 or hex as a strong key', () => {
  for (let i = 0; i < 100; i++) {
    expect(isStrongKey(randomBytes(32).toString('base64'))).toBe(true);
    expect(isStrongKey(randomBytes(32).toString('hex'))).toBe(true);
  }
  expect(isStrongKey('correct horse battery staple, and more of it')).toBe(true);
});

describe('Rotation of the secret key', () => {
  const [first, second] = ['the first key', 'the second key'];
  const before = createSecrets(first);
  const after = createSecrets(second, [first]);

  it('accepts values of the previous key, and seals and signs with the new one', () => {
    const sealed = before.encrypt('value', 'context');
    expect(after.decrypt(sealed, 'context')).toBe('value');
    expect([before.isCurrent(sealed), after.isCurrent(sealed)]).toEqual([true, false]);
    expect(after.isCurrent(after.encrypt('value', 'context'))).toBe(true);
    expect(after.verify(before.sign({ a: 1 }, 'purpose', 2), 'purpose', 1)).toEqual({ a: 1 });
    expect(before.verify(after.sign({ a: 1 }, 'purpose', 2), 'purpose', 1)).toBeNull();
    expect(after.isMacOf(before.mac('text', 'purpose'), 'text', 'purpose')).toBe(true);
    expect(before.isMacOf(after.mac('text', 'purpose'), 'text', 'purpose')).toBe(false);
    expect(after.derive('purpose')).not.toBe(before.derive('purpose'));
  });

  it('names Secrets.PreviousKeys when the previous key is missing', () => {
    const sealed = before.encrypt('value', 'context');
    expect(() => createSecrets(second).decrypt(sealed, 'context')).toThrow(/Secrets\.PreviousKeys/);
    expect(() => after.decrypt(sealed, 'another context')).toThrow();
  });

  it('opens values sealed before keys had names with any known key', () => {
    const iv = randomBytes(12);
    const sealing = Buffer.from(hkdfSync('sha256', first, 'pressroom', 'encryption', 32));
    const cipher = createCipheriv('aes-256-gcm', sealing, iv).setAAD(Buffer.from('context'));
    const body = Buffer.concat([cipher.update('old', 'utf8'), cipher.final()]);
    const sealed = Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
    expect([before.decrypt(sealed, 'context'), after.decrypt(sealed, 'context')]).toEqual(['old', 'old']);
    expect(before.isCurrent(sealed)).toBe(false);
  });
});
