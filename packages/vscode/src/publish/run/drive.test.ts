import type { DeployEvent } from '@pressroom/api/publish';
import { beforeEach, expect, test } from 'vitest';
import { choiceFor, createMemory } from '../../store/memory.ts';
import { createRuns } from '../../store/runs.ts';
import { recorded } from '../../testing/fake-vscode.ts';
import { drive, type Job } from './drive.ts';

// Other test files of this worker may have left messages.
beforeEach(() => recorded.reset());

const done = { type: 'done', url: 'https://x/content/g/', bundle_id: '1' } as DeployEvent;
const cancelled: DeployEvent = { type: 'cancelled', phase: 'upload', guid: null, task_id: null, left: [] };

function setup(events: Job['events'], rest: Partial<Job> = {}) {
  const lines: string[] = [];
  const parts = {
    runs: createRuns(),
    memory: createMemory(undefined),
    log: { line: (text: string) => void lines.push(text), trace: () => undefined, show: () => undefined },
  };
  const job: Job = {
    dir: '/a',
    name: 'a',
    server: 'https://x',
    target: 'x',
    title: 'Publishing a',
    ownBundle: true,
    events,
    ...rest,
  };
  return { ...parts, lines, run: () => drive(job, parts) };
}

test('reports stages with files and bytes, log lines, and the end', async () => {
  const { run, lines, runs } = setup(async function* () {
    yield { type: 'read', files: 3, totalFiles: 12, bytes: 10, totalBytes: 100 };
    yield {
      type: 'pack',
      files: 1,
      totalFiles: 1,
      bytes: 2_000_000,
      totalBytes: 10_000_000,
      packed: 1_000_000,
    };
    yield { type: 'upload', bytes: 1_000_000 };
    yield { type: 'deploy', task_id: 'T', guid: 'g', bundle_id: '1' };
    yield { type: 'log', line: 'Rendering', index: 0 };
    yield done;
  });
  expect(await run()).toMatchObject({ type: 'done', lines: ['Rendering'] });
  expect(recorded.progress).toEqual([
    'Bundling 3 of 12 files',
    'Uploading 1.0 MB of 5.0 MB',
    'Deploying on the server…',
  ]);
  expect(lines).toEqual([
    '[a] Publishing a → x',
    '[a] Bundle 1, task T',
    '[a] Rendering',
    '[a] Live at https://x/content/g/',
    '',
  ]);
  expect(runs.get('/a')).toMatchObject({ state: 'done', guid: 'g', url: 'https://x/content/g/' });
});

test('new content becomes the active target, unless it is cancelled and deleted again', async () => {
  for (const [end, target] of [
    [done, 'new'],
    [cancelled, 'before'],
    [{ ...cancelled, guid: 'new' }, 'new'],
  ] as const) {
    const { run, memory } = setup(async function* () {
      yield { type: 'deploy', task_id: 'T', guid: 'new', bundle_id: '1' };
      yield end;
    });
    memory.aim('/a', { server: 'https://x', guid: 'before' });
    memory.choose('/a', { server: 'https://x', type: 'static' });
    await run();
    expect(memory.target('/a')).toEqual({ server: 'https://x', guid: target });
    const { type } = choiceFor(memory, '/a', 'https://x', 'new');
    expect(type).toBe(target === 'new' ? 'static' : undefined);
    expect(choiceFor(memory, '/a', 'https://x', 'before')).not.toHaveProperty('type');
  }
});

test('passes on why the record was not written, and no other warning', async () => {
  const { run } = setup(async function* () {
    yield { type: 'warning', message: 'The server says that the bundle has 7 bytes.' };
    yield { type: 'warning', message: 'No record.', isAboutRecord: true };
    yield done;
  });
  expect(await run()).toMatchObject({ type: 'done', warnings: ['No record.'] });
});

test('remembers a deploy from its task until its end', async () => {
  const { run, memory } = setup(async function* () {
    yield { type: 'deploy', task_id: 'T', guid: 'g', bundle_id: '1' };
    expect(memory.unfinished()).toMatchObject([{ dir: '/a', task_id: 'T', ownBundle: true }]);
    yield done;
  });
  await run();
  expect(memory.unfinished()).toEqual([]);
});

test('remembers that a deploy may not be seen any more', async () => {
  const { run, memory } = setup(async function* () {
    yield { type: 'deploy', task_id: 'T', guid: 'g', bundle_id: '1' };
    yield { type: 'unknown', forbidden: true, refused: false, error: 'No permission' } as DeployEvent;
  });
  await run();
  expect(memory.unfinished()).toMatchObject([{ dir: '/a', task_id: 'T', forbidden: true }]);
});

test('Cancel in the notification aborts the deploy', async () => {
  const { run, runs } = setup(async function* (signal) {
    yield { type: 'read', files: 1, totalFiles: 1, bytes: 1, totalBytes: 1 };
    recorded.cancel();
    expect(signal.aborted).toBe(true);
    yield cancelled;
  });
  expect(await run()).toMatchObject({ type: 'cancelled' });
  expect(runs.get('/a')).toMatchObject({ state: 'cancelled' });
});

test('closing the window aborts an upload and remembers the interruption', async () => {
  const { run, runs, memory } = setup(async function* (signal) {
    yield {
      type: 'collect',
      app_mode: 'static',
      entrypoint: '',
      count: 1,
      bytes: 1,
      files: [],
      excluded: [],
      warnings: [],
    } as unknown as DeployEvent;
    const closed = runs.abandon();
    expect(signal.aborted).toBe(true);
    yield cancelled;
    await closed;
  });
  await run();
  expect(memory.interrupted()).toMatchObject([{ dir: '/a', server: 'https://x' }]);
});

test('rejects a second publish of the same directory', async () => {
  const { run } = setup(async function* () {
    await expect(run()).rejects.toThrow('already being published');
    yield done;
  });
  await run();
});

test('reports a server that does not respond once, until it does', async () => {
  const { run } = setup(async function* (_signal, shown) {
    yield { type: 'deploy', task_id: 'T', guid: 'g', bundle_id: '1' };
    shown.waiting();
    shown.waiting();
    yield { type: 'log', line: 'Rendering', index: 0 };
    yield done;
  });
  await run();
  expect(recorded.progress).toEqual([
    'Deploying on the server…',
    'Waiting for a response from x…',
    'Deploying on the server…',
  ]);
});

test('prefixes log lines with the name of their deploy', async () => {
  const { run, lines } = setup(async function* () {
    yield { type: 'log', line: 'Rendering', index: 0 };
    yield done;
  });
  await run();
  expect(lines.filter((line) => line !== '' && !line.startsWith('[a] '))).toEqual([]);
});

test('new content becomes the active target, and another target keeps the choice', async () => {
  const started = { type: 'deploy', task_id: 'T', guid: 'g', bundle_id: '1' } as const;
  const events: Job['events'] = async function* () {
    yield started;
    yield done;
  };
  const { run, memory } = setup(events);
  await run();
  expect(memory.target('/a')).toEqual({ server: 'https://x', guid: 'g' });
  const again = setup(events, { guid: 'g' });
  await again.run();
  expect(again.memory.target('/a')).toBeUndefined();
  const goesOn = setup(events, { guid: 'g', aims: true });
  await goesOn.run();
  expect(goesOn.memory.target('/a')).toEqual({ server: 'https://x', guid: 'g' });
});

test('remembers an upload with its new content until the end', async () => {
  const { run, memory } = setup(
    async function* () {
      yield { type: 'target', guid: 'g', name: 'a', created: true };
      expect(memory.interrupted()).toMatchObject([{ dir: '/a', asNew: true, made: 'g' }]);
      yield done;
    },
    { asNew: true },
  );
  await run();
  expect(memory.interrupted()).toEqual([]);
});

test('keeps the end of a very long log', async () => {
  const { run } = setup(async function* () {
    for (let index = 0; index < 12_000; index += 1) yield { type: 'log', line: `Line ${index}`, index };
    yield done;
  });
  const { lines } = await run();
  expect(lines.at(-1)).toBe('Line 11999');
  expect(lines.length).toBeLessThanOrEqual(10_000);
});
