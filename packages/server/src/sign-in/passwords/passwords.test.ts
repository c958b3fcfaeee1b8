// Covers password hashing: it uses a limited part of the machine, and its queue is limited (M5).
import { expect, test } from 'vitest';
import { MAX_PASSWORD_LENGTH } from './password-policy.ts';
import { createPasswords } from './passwords.ts';

test('verifies a password against its own hash only, and never without a hash', async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash('correct horse');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwords.verify('correct horse', hash)).toBe(true);
  expect(await passwords.verify('correct horse!', hash)).toBe(false);
  expect(await passwords.verify('correct horse', null)).toBe(false);
});

test('no password is longer than people may choose: longer ones are not worth any work', async () => {
  const passwords = createPasswords({ memory: 64, passes: 1, parallelism: 1 });
  const longest = '\u{1f648}'.repeat(MAX_PASSWORD_LENGTH);
  for (const [password, isRight] of [
    [longest, true],
    [`${longest}x`, false],
  ] as const)
    expect(await passwords.verify(password, await passwords.hash(password))).toBe(isRight);
});

test('M5: returns 503 beyond 64 waiting requests and serves those that wait', async () => {
  const passwords = createPasswords();
  const waiting = Array.from({ length: 66 }, () => passwords.verify('x', null));
  await expect(passwords.verify('x', null)).rejects.toMatchObject({ code: 1, status: 503, retryAfter: 5 });
  await expect(passwords.hash('x')).rejects.toMatchObject({ status: 503 });
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([false]));
  expect(await passwords.verify('x', null)).toBe(false);
});
