import { InvalidResponseError, NoResponseError, RefusedError } from '@pressroom/api/client';
import { ERRORS } from '@pressroom/api/contract';
import { expect, test } from 'vitest';
import { explain, reasonOf } from './explain.ts';

const context = { operation: 'getContent', server: 'https://content.example.com' };
const refusal = (code: number | null, message: string, status = 403) =>
  new RefusedError({ ...context, status, code, message, payload: null });

test('explains a code of the contract in German without English words', () => {
  const { reason, hint } = explain(refusal(22, ERRORS[22].message), 'de');
  expect(reason).toBe('Das dürfen Sie nicht.');
  expect(hint).toContain('Rolle Publisher');
});

test('uses the words of the server and its client in English', () => {
  const error = refusal(22, ERRORS[22].message);
  expect(explain(error, 'en')).toEqual({ reason: error.message, hint: error.hint });
});

test('adds what the server says beyond the meaning of the code', () => {
  const error = refusal(94, 'you can ask again from 2026-11-24T08:00:00Z');
  expect(explain(error, 'de')).toEqual({
    reason:
      'Das lässt sich nur einmal in 24 Stunden erbitten. Der Server schreibt: „you can ask again from 2026-11-24T08:00:00Z“',
    hint: '',
  });
  expect(explain(error, 'en').hint).toBe('');
});

test('what cannot be done now is not said to be under way where the server gives another reason', () => {
  const error = refusal(100, 'the canary of bundle 12 has ended: rolled back', 400);
  expect(explain(error, 'de').reason).toBe(
    'Das geht gerade nicht. Der Server schreibt: „the canary of bundle 12 has ended: rolled back“',
  );
  expect(explain(refusal(100, ERRORS[100].message, 400), 'de').hint).toContain('laufenden Tasks');
});

test('why a rendering is held is German, too', () => {
  const held = { who: 'Anna', reason: 'it is held for review: it has 52 % less text than what is live' };
  const less = { ...held, reason_code: 'less_text', reason_detail: '52 %' };
  expect(reasonOf(less, 'de')).toBe('die neue Fassung hat weniger Text als die aktuelle: 52 %');
  const fewer = { ...held, reason_code: 'fewer_pictures', reason_detail: '1/6' };
  expect(reasonOf(fewer, 'de')).toBe(
    'die neue Fassung hat weniger Bilder und Tabellen als die aktuelle: 1/6',
  );
  expect(reasonOf(less, 'en')).toBe(held.reason);
});

test('quotes the server for a code without German, and explains a status without a code', () => {
  expect(explain(refusal(70, ERRORS[70].message, 400), 'de').reason).toBe(
    `Der Server hat die Anfrage abgelehnt (HTTP 400). Der Server schreibt: „${ERRORS[70].message}“`,
  );
  expect(explain(refusal(null, 'slow down', 429), 'de').reason).toBe('Zu viele Anfragen.');
});

test('a server that takes longer than the bot waits is slow: nobody cancelled anything', async () => {
  const { reason: cause } = AbortSignal.abort(new DOMException('', 'TimeoutError'));
  const late = new NoResponseError({ ...context, kind: 'aborted', message: 'the call was cancelled', cause });
  expect(explain(late, 'en').reason).toBe('The content server did not respond in time.');
  expect(explain(late, 'de').reason).toBe('Der Content-Server hat nicht rechtzeitig geantwortet.');
});

test('explains a missing and an invalid response', () => {
  const silent = new NoResponseError({ ...context, kind: 'refused', message: 'connect ECONNREFUSED' });
  expect(explain(silent, 'de').reason).toBe('Der Content-Server ist nicht erreichbar.');
  const proxy = new InvalidResponseError({ ...context, kind: 'html', message: 'got HTML' });
  expect(explain(proxy, 'de').reason).toBe('Der Content-Server hat mit einer Webseite geantwortet.');
  // Not advice to check the own network, or to sign in to a proxy: it is the bot that calls.
  expect(explain(silent, 'en')).toEqual({
    reason: 'The bot cannot reach the content server.',
    hint: 'Try again in a moment.',
  });
  expect(explain(proxy, 'en').hint).toMatch(/^A proxy may have answered/);
});

test('what a server of others lacks is called that, not a missing endpoint', () => {
  const missing = refusal(2, 'no such endpoint', 404);
  expect(explain(missing, 'en')).toEqual({ reason: 'This content server does not support that.', hint: '' });
  expect(explain(missing, 'de').reason).toBe('Dieser Content-Server kann das nicht.');
  expect(explain(refusal(4, 'there is no such bundle', 404), 'en').reason).toBe('there is no such bundle');
});

test('who may not deploy is told what to ask whom, also the owner', () => {
  for (const [language, yours] of [
    ['en', 'If it is yours'],
    ['de', 'Gehört er Ihnen'],
  ] as const)
    expect(explain(refusal(22, ERRORS[22].message), language).hint).toContain(yours);
});
