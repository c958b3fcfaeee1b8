import { NoResponseError, RefusedError } from '@pressroom/api/client';
import { ContentGoneError } from '@pressroom/api/publish';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { l10n, window } from 'vscode';
import german from '../../../l10n/bundle.l10n.de.json' with { type: 'json' };
import { recorded, settings } from '../../testing/fake-vscode.ts';
import type { Ending } from './drive.ts';
import { showOutcome } from './outcome.ts';

// Other test files of this worker may have left messages.
beforeEach(() => recorded.reset());
afterEach(() => {
  vi.restoreAllMocks();
  settings.clear();
});

const nothing = () => undefined;
const actions = {
  retry: nothing,
  publishAsNew: nothing,
  signIn: nothing,
  createRequirements: nothing,
  checkStatus: nothing,
  rollBack: nothing,
  openDashboard: nothing,
  activate: nothing,
  openProblem: undefined,
  showLog: nothing,
};

function told(ending: Partial<Ending>): string {
  showOutcome(
    'report',
    { lines: [], warnings: [], left: [], cause: null, error: '', ...ending } as Ending,
    actions,
  );
  return recorded.messages.at(-1) ?? '';
}

test('reports that content is live, and opens it if the settings say so', () => {
  expect(told({ type: 'done', url: 'https://x/content/f/' })).toBe('report is live.');
  expect(recorded.opened).toEqual([]);
  settings.set('openAfterPublish', true);
  expect(told({ type: 'done', url: 'https://x/content/g/' })).toBe('report is live.');
  expect(recorded.opened).toEqual(['https://x/content/g/']);
});

test('opens nothing but web pages', () => {
  settings.set('openAfterPublish', true);
  for (const url of [
    'command:workbench.action.quit',
    'file:///etc/passwd',
    'vscode://x.y/z',
    'javascript:1',
  ]) {
    told({ type: 'done', url });
  }
  expect(recorded.opened).toEqual([]);
});

test('reports a failed task with its cause in one line and a hint', () => {
  const lines = [
    'Loading',
    'Error in library(leaflet) : there is no package called ‘leaflet’',
    'Execution halted',
  ];
  expect(told({ type: 'failed', error: 'it failed', lines })).toBe(
    'Could not publish report: Error in library(leaflet) : there is no package called ‘leaflet’. ' +
      'The manifest must list leaflet: install it where you publish from, run renv::snapshot() unless you publish with rsconnect, then publish again.',
  );
});

test('does not doubt a deploy that has succeeded, when a lost right hides its result', () => {
  const error = 'You may not view this content';
  expect(told({ type: 'unknown', ended: true, refused: false, error })).toBe(
    'report was deployed, but its result could not be read: You may not view this content',
  );
  expect(told({ type: 'unknown', forbidden: true, refused: false, error })).toBe(
    'report may still be deploying, but you may not see it any more: You may not view this content',
  );
  expect(told({ type: 'unknown', refused: false, error })).toBe(
    'report may still be deploying: You may not view this content',
  );
});

test('gives the remedy in the language of the editor', () => {
  const english = l10n.t;
  vi.spyOn(l10n, 't').mockImplementation(((text: keyof typeof german, ...values: string[]) =>
    english(german[text], ...values)) as typeof l10n.t);
  const lines = ["ModuleNotFoundError: No module named 'polars'"];
  expect(told({ type: 'failed', lines: ['Traceback (most recent call last):', ...lines] })).toBe(
    "report konnte nicht veröffentlicht werden: ModuleNotFoundError: No module named 'polars'. " +
      'requirements.txt muss das Paket nennen, das polars enthält. Ist polars eine eigene Datei, muss das Bundle sie enthalten.',
  );
});

test.each([
  [new ContentGoneError('g', null), /Publish it as new content/],
  [
    new NoResponseError({
      operation: 'x',
      server: 'https://x',
      kind: 'tls',
      message: 'No response from https://x: tls.',
    }),
    /http\.systemCertificates/,
  ],
])('gives a hint for the failure %s', (failure, text) => {
  expect(told({ type: 'failed', failure })).toMatch(text);
});

test('reports what a cancelled deploy left on the server', () => {
  expect(told({ type: 'cancelled' })).toBe('Cancelled. Nothing was left on the server.');
  expect(told({ type: 'cancelled', left: ['This server cannot cancel a task.'] })).toBe(
    'Cancelled. This server cannot cancel a task.',
  );
});

test('says that the record of live content was not written', () => {
  const warnings = ['The deployment record could not be written: EACCES'];
  expect(told({ type: 'done', url: 'https://x/', warnings })).toBe(
    'report is live. The deployment record could not be written: EACCES.',
  );
});

test('reports what a failed deploy left on the server', () => {
  const left = ['The deploy of bundle 7 may have started on the server.'];
  expect(told({ type: 'failed', error: 'The connection was lost.', left })).toBe(
    'Could not publish report: The connection was lost. The deploy of bundle 7 may have started on the server.',
  );
});

test('does not call a canary live', () => {
  const canary = { share: 10, waits: false };
  const ending = { type: 'done', url: 'https://x/', canary, content: { guid: 'g' }, bundle_id: '7' };
  expect(told(ending as never)).toBe(
    'report is a canary: 10 % of new sessions get it. Later it goes live, unless it does worse.',
  );
  expect(told({ ...ending, canary: { share: 10, waits: true } } as never)).toMatch(
    /until you make it live\.$/,
  );
});

test('a bundle that waits for approval is no failure, and no Retry replaces it', async () => {
  const shown: string[][] = [];
  vi.spyOn(window, 'showInformationMessage').mockImplementation(((...texts: string[]) => {
    shown.push(texts);
    return Promise.resolve(undefined);
  }) as never);
  const refusal = { operation: 'x', server: 'https://x', status: 403, code: 22, payload: { release: '7' } };
  const failure = new RefusedError({ ...refusal, message: 'Bundle 7 needs 1 more approval' });
  const ending = {
    type: 'failed',
    error: failure.message,
    failure,
    guid: 'g',
    cause: null,
    left: [],
    lines: [],
  };
  showOutcome('report', ending as never, actions);
  expect(shown).toEqual([
    ['report waits for approval: Bundle 7 needs 1 more approval.', 'Open in Dashboard', 'Show Log'],
  ]);
  expect(recorded.messages).toEqual([]);
});

test('keeps the other buttons after Show Log', async () => {
  const shown: string[][] = [];
  const responses = ['Show Log', 'Retry'];
  let retried = 0;
  vi.spyOn(window, 'showErrorMessage').mockImplementation(((_message: string, ...labels: string[]) => {
    shown.push(labels);
    return Promise.resolve(responses.shift());
  }) as never);
  const again = { ...actions, retry: () => void (retried += 1) };
  const ending = { type: 'failed', error: 'no', cause: null, left: [], lines: [] } as unknown as Ending;
  showOutcome('report', ending, again);
  await vi.waitFor(() => expect(retried).toBe(1));
  expect(shown).toEqual([['Show Log', 'Retry'], ['Retry']]);
});
