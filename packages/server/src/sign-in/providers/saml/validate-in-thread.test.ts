import { testCertificate } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { createValidator } from './validate-in-thread.ts';

const options = {
  idpCert: testCertificate('idp.example').certificate,
  issuer: 'us',
  audience: 'us',
  callbackUrl: 'https://us.example/callback',
  entryPoint: 'https://idp.example/sso',
};
const STRANGER = '192.0.2.1';
const slow = Buffer.from(`<a>${'<b/>'.repeat(20_000)}</a>`).toString('base64');

test('gives up a response that takes too long and reads the next one', async () => {
  await using validator = createValidator(options);
  const turns: number[] = [];
  const turning = setInterval(() => turns.push(performance.now()), 10);
  await expect(validator.validate(slow, STRANGER, 1000)).rejects.toThrow(
    'the response takes too long to read',
  );
  clearInterval(turning);
  expect(turns.length).toBeGreaterThan(1);
  await expect(validator.validate('PGEvPg==', STRANGER)).rejects.toThrow(/signature/i);
});

/** Counts the responses that were refused unread. */
async function refusedOf(asked: Promise<unknown>[]): Promise<number> {
  const isRefusal = (one: PromiseSettledResult<unknown>) =>
    one.status === 'rejected' && (one.reason as { status?: number }).status === 429;
  return (await Promise.allSettled(asked)).filter(isRefusal).length;
}

test('returns 429 for responses that would wait too long', async () => {
  await using validator = createValidator(options);
  const asked = Array.from({ length: 50 }, (_, i) => validator.validate('PGEvPg==', `192.0.2.${i}`));
  expect(await refusedOf(asked)).toBe(20);
  await expect(validator.validate('PGEvPg==', STRANGER)).rejects.toThrow(/signature/i);
});

test('a client with many networks does not block others and waits behind them', async () => {
  await using validator = createValidator(options);
  const read: string[] = [];
  const ask = (address: string) =>
    validator
      .validate('PGEvPg==', address)
      .finally(() => read.push(address.startsWith('2001:') ? 'stranger' : address));
  const strangers = refusedOf(Array.from({ length: 32 }, (_, i) => ask(`2001:db8:0:${i + 1}::1`)));
  const others = ['192.0.2.7', '192.0.2.8'].map(ask);
  expect(await refusedOf(others)).toBe(0);
  expect(await strangers).toBe(22);
  const looked = read.slice(22);
  expect(looked).toEqual([
    'stranger',
    '192.0.2.7',
    '192.0.2.8',
    ...Array.from({ length: 9 }, () => 'stranger'),
  ]);
});
