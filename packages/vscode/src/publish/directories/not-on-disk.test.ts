import type { DeployEvent } from '@pressroom/api/publish';
import { expect, test } from 'vitest';
import { freshFiles, savedRecords } from './not-on-disk.ts';

const warning: DeployEvent = { type: 'warning', message: 'w' };
const begun: DeployEvent = { type: 'deploy', task_id: 'T', guid: 'g', bundle_id: '1' };
const line: DeployEvent = { type: 'log', line: 'Rendering', index: 0 };
const done = { type: 'done', url: 'https://x/', bundle_id: '1' } as DeployEvent;
const cancelled: DeployEvent = { type: 'cancelled', phase: 'collect', guid: null, task_id: null, left: [] };

async function* stream(...events: DeployEvent[]): AsyncGenerator<DeployEvent> {
  yield* events;
}

const typesOf = async (events: AsyncIterable<DeployEvent>) =>
  (await Array.fromAsync(events)).map(({ type }) => type);

test('reports a task at once, however long saving its record takes', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const events = savedRecords('/a', stream(begun, line, done), { save: () => promise }, () => undefined);
  expect((await events.next()).value).toBe(begun);
  expect((await events.next()).value).toBe(line);
  resolve();
  expect((await events.next()).value).toBe(done);
});

test('reports the end after saving the record, and a failed save once', async () => {
  const steps: string[] = [];
  const save = async () => {
    steps.push('save');
    throw new Error('offline');
  };
  for await (const event of savedRecords('/a', stream(begun, done), { save }, (error) =>
    steps.push(String(error)),
  ))
    steps.push(event.type);
  expect(steps).toEqual(['save', 'deploy', 'save', 'Error: offline', 'done']);
});

function setup(take = async () => ({ lacks: ['x is a link.'] })) {
  const steps: string[] = [];
  const abort = new AbortController();
  const directories = {
    take: async () => ({ ...(await take()), release: () => void steps.push('release') }),
  };
  const run = (...events: DeployEvent[]) =>
    freshFiles('/a', directories, { signal: abort.signal, show: () => undefined }, () => stream(...events));
  return { steps, abort, run };
}

test('keeps the files until they are uploaded, not until the task ends', async () => {
  const { steps, run } = setup();
  for await (const event of run(warning, begun, done)) steps.push(event.type);
  expect(steps.slice(0, 4)).toEqual(['warning', 'warning', 'release', 'deploy']);
});

test('releases the files when the deploy breaks off', async () => {
  const { steps, run } = setup();
  await run(warning, begun).next();
  expect(steps).toEqual([]);
  for await (const _event of run(warning, begun)) break;
  expect(steps).toEqual(['release']);
});

test('reports a cancellation while it waits for its files', async () => {
  const { abort, run } = setup(async () => {
    abort.abort(new Error('cancelled'));
    throw abort.signal.reason;
  });
  expect(await typesOf(run(cancelled))).toEqual(['cancelled']);
});

test('does not publish files that cannot be read', async () => {
  const { run } = setup(async () => {
    throw new Error('offline');
  });
  await expect(typesOf(run(done))).rejects.toThrow('offline');
});
