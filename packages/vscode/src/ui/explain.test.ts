import { NoAnswerError, RefusedError } from '@pressroom/api/client';
import { toFailure } from '../../../api/src/client/no-answer.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { l10n } from 'vscode';
import { explain } from './explain.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('translates the hint for a rejected request', () => {
  vi.spyOn(l10n, 't').mockImplementation(((text: string) => `übersetzt: ${text}`) as typeof l10n.t);
  const context = { operation: 'getContent', server: 'https://x', payload: null, message: 'no' };
  expect(explain(new RefusedError({ ...context, status: 401, code: 24 }))).toMatch(
    /^no\. übersetzt: Sign in again/,
  );
});

test('translates why a server did not respond, with its values', () => {
  const german: Record<string, string> = {
    'No response from {0}: the connection was refused{1}.':
      'Keine Antwort von {0}: Die Verbindung wurde abgelehnt{1}.',
  };
  const fill = (text: string, values: unknown[]) =>
    text.replace(/\{(\d)\}/g, (_, place: string) => String(values[Number(place)]));
  vi.spyOn(l10n, 't').mockImplementation(((text: string, ...values: unknown[]) =>
    fill(german[text] ?? text, values)) as typeof l10n.t);
  const message = { text: Object.keys(german)[0]!, values: ['https://x', ' (ECONNREFUSED)'] };
  const error = new NoAnswerError({ operation: 'getUsers', server: 'https://x', kind: 'refused', message });
  expect(error.message).toBe('No response from https://x: the connection was refused (ECONNREFUSED).');
  expect(explain(error)).toMatch(
    /^Keine Antwort von https:\/\/x: Die Verbindung wurde abgelehnt \(ECONNREFUSED\)\. /,
  );
});

test('does not suggest trusting the authority of an expired certificate', () => {
  const failure = (code: string) => {
    const context = { operation: 'getUsers', server: 'https://x' };
    return toFailure(Object.assign(new Error('no'), { code }), context);
  };
  expect(explain(failure('CERT_HAS_EXPIRED'))).toMatch(/expired/i);
  expect(explain(failure('CERT_HAS_EXPIRED'))).not.toMatch(/authority/);
  expect(explain(failure('SELF_SIGNED_CERT_IN_CHAIN'))).toMatch(/authority/);
});
