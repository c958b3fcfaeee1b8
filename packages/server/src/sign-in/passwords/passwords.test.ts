// Covers password hashing: it uses a limited part of the machine, and its queue is limited (M5).
import { expect, test } from 'vitest';
import { createPasswords } from './passwords.ts';

test('verifies a password against its own hash only, and never without a hash', async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash('correct horse');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwords.verify('correct horse', hash)).toBe(true);
  expect(await passwords.verify('correct horse!', hash)).toBe(false);
  expect(await passwords.verify('correct horse', null)).toBe(false);
});

test('M5: returns 503 beyond 64 waiting requests and serves those that wait', async () => {
  const passwords = createPasswords();
  const waiting = Array.from({ length: 66 }, () => passwords.verify('x', null));
  await expect(passwords.verify('x', null)).rejects.toMatchObject({ code: 1, status: 503, retryAfter: 5 });
  await expect(passwords.hash('x')).rejects.toMatchObject({ status: 503 });
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([false]));
  expect(await passwords.verify('x', null)).toBe(false);
});
