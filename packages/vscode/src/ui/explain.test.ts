import { InvalidResponseError, NoResponseError, RefusedError } from '@pressroom/api/client';
import { RecordError } from '@pressroom/api/publish';
import { afterEach, expect, test, vi } from 'vitest';
import { l10n } from 'vscode';
import { toFailure } from '../../../api/src/client/no-response.ts';
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

const fill = (text: string, values: unknown[]) =>
  text.replace(/\{(\d)\}/g, (_, place: string) => String(values[Number(place)]));

test('translates why a server did not respond, with its values', () => {
  const german: Record<string, string> = {
    'No response from {0}: the connection was refused{1}.':
      'Keine Antwort von {0}: Die Verbindung wurde abgelehnt{1}.',
  };
  vi.spyOn(l10n, 't').mockImplementation(((text: string, ...values: unknown[]) =>
    fill(german[text] ?? text, values)) as typeof l10n.t);
  const message = { text: Object.keys(german)[0]!, values: ['https://x', ' (ECONNREFUSED)'] };
  const error = new NoResponseError({ operation: 'getUsers', server: 'https://x', kind: 'refused', message });
  expect(error.message).toBe('No response from https://x: the connection was refused (ECONNREFUSED).');
  expect(explain(error)).toMatch(
    /^Keine Antwort von https:\/\/x: Die Verbindung wurde abgelehnt \(ECONNREFUSED\)\. /,
  );
});

test('translates why a record cannot be used, with the values of both texts', () => {
  const german: Record<string, string> = {
    'The deployment record {0} cannot be used: {1}.': 'Der Eintrag {0} ist nicht verwendbar: {1}.',
    'its {0} is not valid': 'sein Feld {0} ist nicht gültig',
  };
  vi.spyOn(l10n, 't').mockImplementation(((text: string, ...values: unknown[]) =>
    fill(german[text] ?? text, values)) as typeof l10n.t);
  const error = new RecordError('a.toml', { text: 'its {0} is not valid', values: ['guid'] });
  expect(error.message).toBe('The deployment record a.toml cannot be used: its guid is not valid.');
  expect(explain(error)).toMatch(
    /^Der Eintrag a\.toml ist nicht verwendbar: sein Feld guid ist nicht gültig\. /,
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

test('says that a web server without a content server at this path is none', () => {
  const notFound = (operation: string) =>
    explain(
      new InvalidResponseError({
        operation,
        server: 'https://x',
        kind: 'html',
        status: 404,
        message: { text: '404', values: [] },
      }),
    );
  expect(notFound('getServerSettings')).toMatch(/No content server was found .* including its path/);
  expect(notFound('getContent')).toBe('The server does not offer this.');
});
