import { RefusedError } from '@pressroom/api/client';
import { afterEach, expect, test, vi } from 'vitest';
import { l10n } from 'vscode';
import { explain } from './explain.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('what to do about a refusal is said in the language of the editor', () => {
  vi.spyOn(l10n, 't').mockImplementation(((text: string) => `übersetzt: ${text}`) as typeof l10n.t);
  const context = { operation: 'getContent', server: 'https://x', payload: null, message: 'no' };
  expect(explain(new RefusedError({ ...context, status: 401, code: 24 }))).toMatch(
    /^no\. übersetzt: Sign in again/,
  );
});
