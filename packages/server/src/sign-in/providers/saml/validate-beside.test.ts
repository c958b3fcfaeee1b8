import { testCertificate } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { createValidator } from './validate-beside.ts';

const options = {
  idpCert: testCertificate('idp.example').certificate,
  issuer: 'us',
  audience: 'us',
  callbackUrl: 'https://us.example/callback',
  entryPoint: 'https://idp.example/sso',
};
const slow = Buffer.from(`<a>${'<b/>'.repeat(20_000)}</a>`).toString('base64');

test('an answer that takes too long is given up, and the next one is read', async () => {
  await using validator = createValidator(options);
  const turns: number[] = [];
  const turning = setInterval(() => turns.push(performance.now()), 10);
  await expect(validator.validate(slow, 'here', 1000)).rejects.toThrow('the response takes too long to read');
  clearInterval(turning);
  expect(turns.length).toBeGreaterThan(1);
  await expect(validator.validate('PGEvPg==', 'here')).rejects.toThrow(/signature/i);
});

test('of many at once, those that would wait too long are refused', async () => {
  await using validator = createValidator(options);
  const asked = Array.from({ length: 50 }, () => validator.validate('PGEvPg==', 'here'));
  const refused = (await Promise.allSettled(asked)).filter(
    (one) => one.status === 'rejected' && (one.reason as { status?: number }).status === 429,
  );
  expect(refused.length).toBeGreaterThan(0);
  await expect(validator.validate('PGEvPg==', 'here')).rejects.toThrow(/signature/i);
});

test('a network that sends many keeps no other one waiting', async () => {
  await using validator = createValidator(options);
  const ended: string[] = [];
  const ask = (from: string) =>
    validator
      .validate('PGEvPg==', from)
      .catch(() => undefined)
      .finally(() => void ended.push(from));
  const many = Array.from({ length: 30 }, () => ask('there'));
  await ask('here');
  // One of them was asked before, and one at most began meanwhile.
  expect(ended.length).toBeLessThanOrEqual(3);
  await Promise.all(many);
  expect(ended.filter((from) => from === 'there')).toHaveLength(30);
});
