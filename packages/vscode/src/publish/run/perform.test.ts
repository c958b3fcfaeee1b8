// Covers which folder the buttons of a message act on, and what a job that cannot start leaves unchanged.
import type { Client } from '@pressroom/api/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { commands, window } from 'vscode';
import { createMemory } from '../../store/memory.ts';
import { createRuns } from '../../store/runs.ts';
import { recorded, settings } from '../../testing/fake-vscode.ts';
import type { Job, JobEvent } from './drive.ts';
import { createPerformer, type Next, type PerformParts } from './perform.ts';

beforeEach(() => {
  recorded.reset();
  showLog.mockClear();
});

afterEach(() => void vi.restoreAllMocks());

const nothing = () => undefined;
const showLog = vi.fn();
const client = { close: async () => undefined } as unknown as Client;

function setup() {
  const runs = createRuns();
  const { perform } = createPerformer({
    runs,
    memory: createMemory(undefined),
    log: { line: nothing, show: showLog },
    directories: { save: async () => undefined },
    diagnostics: { clear: nothing, mark: async () => undefined },
  } as unknown as PerformParts);
  const jobOf = (events: JobEvent[]): Job => ({
    dir: '/a',
    name: 'a',
    server: 'https://staging.example.com',
    target: 'staging',
    title: 'Publishing a',
    ownBundle: true,
    async *events() {
      yield* events;
    },
  });
  return { runs, perform: (events: JobEvent[]) => perform(client, jobOf(events), {} as Next) };
}

test('Roll Back concerns the content that broke, whichever target is active', async () => {
  const ran = vi.spyOn(commands, 'executeCommand');
  vi.spyOn(window, 'showErrorMessage').mockResolvedValue('Roll Back' as never);
  const { perform } = setup();
  await perform([{ type: 'broken', guid: 'broke', url: 'https://x/', status: 500, printed: [] }]);
  const record = { server: 'https://staging.example.com', guid: 'broke' };
  await vi.waitFor(() => expect(ran).toHaveBeenCalledWith('pressroom.rollbackLast', { dir: '/a', record }));
});

test('a second job that cannot start leaves the first one running', async () => {
  const { runs, perform } = setup();
  runs.begin({ dir: '/a', name: 'a', server: 'https://x', target: 'x', text: 'Deploying' });
  await expect(perform([])).rejects.toThrow('already being published');
  expect(runs.get('/a')).toMatchObject({ state: 'running', text: 'Deploying' });
});

const BROKEN: JobEvent = { type: 'broken', guid: 'g', url: 'https://x/', status: 500, printed: [] };
const CANCELLED: JobEvent = { type: 'cancelled', phase: 'upload', guid: null, task_id: null, left: [] };

test.each([
  ['always', CANCELLED, 1],
  ['onFailure', BROKEN, 1],
  ['onFailure', CANCELLED, 0],
  ['never', BROKEN, 0],
] as const)('shows the log %s', async (when, event, times) => {
  settings.set('showLog', when);
  await setup().perform([event]);
  expect(showLog).toHaveBeenCalledTimes(times);
});
