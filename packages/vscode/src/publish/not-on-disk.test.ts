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

test('a task is told of at once, however long its record takes to be saved', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const events = savedRecords('/a', stream(begun, line, done), { save: () => promise }, () => undefined);
  expect((await events.next()).value).toBe(begun);
  expect((await events.next()).value).toBe(line);
  resolve();
  expect((await events.next()).value).toBe(done);
});

test('the end is told when the record is saved; what cannot be is told once, and the deploy goes on', async () => {
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

test('files are left alone until they are uploaded, not until the task has ended', async () => {
  const { steps, run } = setup();
  for await (const event of run(warning, begun, done)) steps.push(event.type);
  expect(steps.slice(0, 4)).toEqual(['warning', 'warning', 'release', 'deploy']);
});

test('they are let go when the deploy breaks off', async () => {
  const { steps, run } = setup();
  await run(warning, begun).next();
  expect(steps).toEqual([]);
  for await (const _event of run(warning, begun)) break;
  expect(steps).toEqual(['release']);
});

test('cancelled while it waits for its files, the deploy says that it was', async () => {
  const { abort, run } = setup(async () => {
    abort.abort(new Error('cancelled'));
    throw abort.signal.reason;
  });
  expect(await typesOf(run(cancelled))).toEqual(['cancelled']);
});

test('files that cannot be read are not published', async () => {
  const { run } = setup(async () => {
    throw new Error('offline');
  });
  await expect(typesOf(run(done))).rejects.toThrow('offline');
});
