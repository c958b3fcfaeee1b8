// Covers logs of processes and renderings as documents: which one is opened, and what it shows.
import type { Job } from '@pressroom/api/contract';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { History } from '../store/history.ts';
import { recorded, type Uri, window, workspace } from '../testing/fake-vscode.ts';
import { createProcessLogs } from './process-logs.ts';

const CONTENT = { server: 'https://a.example.com', guid: 'g', name: 'report' };
const RENDERING = {
  bundle_id: '7',
  pid: null,
  status: 2,
  outcome: 'failed',
  start_time: '2026-01-01T00:00:00Z',
};

// Other test files of this worker share the fake.
beforeEach(() => recorded.reset());
afterEach(() => {
  vi.restoreAllMocks();
});

/** The picks offered, and the document opened. */
async function shown(...jobs: Partial<Job>[]) {
  const showQuickPick = vi
    .spyOn(window, 'showQuickPick')
    .mockImplementation((async (items: unknown[]) => items.at(-1)) as never);
  const openTextDocument = vi.fn(async (uri: Uri) => ({ uri }));
  Object.assign(window, { showTextDocument: async () => undefined });
  Object.assign(workspace, { openTextDocument });
  const history = {
    processes: async () => jobs as Job[],
    processLog: async (_content: unknown, key: string) => [{ timestamp: '00:00', data: `line of ${key}` }],
  };
  const logs = createProcessLogs(history as unknown as History, () => Date.parse('2026-01-01T01:00:00Z'));
  await logs.show(CONTENT);
  const uri = openTextDocument.mock.calls[0]?.[0];
  const text = uri && (await logs.provideTextDocumentContent(uri as never, undefined as never));
  const picks: readonly unknown[][] = showQuickPick.mock.calls;
  return { picks, path: uri?.path, text };
}

test('one of several renderings is picked, and its log opened', async () => {
  const all = ['newest', 'older'].map((key) => ({ ...RENDERING, key }));
  const { picks, path, text } = await shown(...all);
  expect(picks[0]).toMatchObject([
    [{ description: 'failed', detail: 'Bundle 7', key: 'newest' }, { key: 'older' }],
    { placeHolder: 'Select a rendering' },
  ]);
  expect(path).toBe('/report-older.log');
  expect(text).toBe('00:00  line of older\n');
});

const process = (key: string) => ({ ...RENDERING, key, pid: 12 });

test('one of several processes is picked', async () => {
  const { picks } = await shown(process('a'), process('b'));
  expect(picks[0]?.[1]).toEqual({ placeHolder: 'Select a process' });
});

test('a process alone is opened at once', async () => {
  const { picks, path } = await shown(process('a'));
  expect(picks).toEqual([]);
  expect(path).toBe('/report-a.log');
});

test('says that nothing has run', async () => {
  const { path } = await shown();
  expect(recorded.messages).toEqual(['Nothing has run for report yet.']);
  expect(path).toBeUndefined();
});
