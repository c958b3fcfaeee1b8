// Covers following processes: which are shown, how often a server is asked, and servers that neither wait nor say the end.
import { expect, test } from 'vitest';
import { NoResponseError, RefusedError } from '../client/index.ts';
import type { Job, JobLog } from '../contract/index.ts';
import { followProcesses } from './follow-processes.ts';

const job = (key: string, status = 0) => ({ key, status }) as Job;
const entry = (data: string) => ({ data }) as JobLog['entries'][number];

interface Scene {
  /** Answers to the list of processes; the last one is repeated until the test ends. */
  readonly lists: (Job[] | Error)[];
  readonly logs: Record<string, (Partial<JobLog> | Error)[]>;
  /** Ends the following once this was noted. */
  readonly until: string;
}

/** What happened, in order. */
async function follow({ lists, logs, until }: Scene): Promise<string[]> {
  const happened: string[] = [];
  const stop = new AbortController();
  const note = (what: string) => {
    happened.push(what);
    if (what === until) stop.abort();
  };
  const next = <T>(answers: T[]) => (answers.length > 1 ? answers.shift()! : answers[0]!);
  const client = {
    getContentJobs: async () => {
      const answer = next(lists);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    getContentJobLog: async ({ key, first }: { key: string; first: number }) => {
      note(`read ${key} from ${first}`);
      const answer = next(logs[key]!);
      if (answer instanceof Error) throw answer;
      return { entries: [], ...answer };
    },
  };
  const clock = {
    random: () => 0,
    sleep: async (milliseconds: number, signal?: AbortSignal) => {
      if (milliseconds < 5000) note(`paused ${milliseconds}`);
      await Promise.resolve();
      signal?.throwIfAborted();
    },
  };
  await followProcesses(client as never, 'g', {
    signal: stop.signal,
    pause: 5000,
    clock,
    onNone: () => note('none'),
    onStart: ({ key }, later) => note(`${key} started${later ? ' later' : ''}`),
    onLines: (key, lines, shared) =>
      note(`${key}${shared ? ' of several' : ''}: ${lines.map(({ data }) => data).join()}`),
    onEnd: ({ key }) => note(`${key} ended`),
    onLost: ({ message }) => note(`lost: ${message}`),
    onBack: () => note('back'),
  }).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  return happened;
}

test('pauses between two requests, whatever the server responds, and reads from the last line on', async () => {
  const happened = await follow({
    lists: [[job('a')]],
    logs: {
      a: [
        { entries: [entry('x')], last: 1 },
        { entries: [entry('y')], last: 2 },
        { last: 2, finished: true },
      ],
    },
    until: 'a ended',
  });
  expect(happened).toEqual([
    'a started',
    'read a from 0',
    'a: x',
    'paused 100',
    'read a from 1',
    'a: y',
    'paused 100',
    'read a from 2',
    'a ended',
  ]);
});

test('shows running processes and later ones; without a running one, the last', async () => {
  const over = [{ last: 0, finished: true }];
  const running = await follow({
    lists: [
      [job('b'), job('old', 1)],
      [job('c'), job('b', 1), job('old', 1)],
    ],
    logs: { b: over, c: over },
    until: 'c ended',
  });
  expect(running.filter((what) => /started/.test(what))).toEqual(['b started', 'c started later']);
  const last = await follow({
    lists: [[job('new', 1), job('old', 1)]],
    logs: { new: over },
    until: 'new ended',
  });
  expect(last).toEqual(['new started', 'read new from 0', 'new ended']);
});

test('waits for a first process', async () => {
  const happened = await follow({
    lists: [[], [], [job('a')]],
    logs: { a: [{ last: 0, finished: true }] },
    until: 'a ended',
  });
  expect(happened).toEqual(['none', 'a started later', 'read a from 0', 'a ended']);
});

test('a server that returns all lines each time, and does not say the end, is read until its list does', async () => {
  const happened = await follow({
    lists: [[job('a')], [job('a')], [job('a')], [job('a', 1)]],
    logs: { a: [{ entries: [entry('x')] }, { entries: [entry('x'), entry('y')] }] },
    until: 'a ended',
  });
  expect(happened.filter((what) => !/^(read|paused)/.test(what))).toEqual([
    'a started',
    'a: x',
    'a: y',
    'a ended',
  ]);
  expect(happened).toContain('paused 1000');
});

test('a failed request ends everything', async () => {
  const client = {
    getContentJobs: async () => [job('a')],
    getContentJobLog: async () => Promise.reject(new Error('gone')),
  };
  const following = followProcesses(client as never, 'g', {
    signal: new AbortController().signal,
    onLines: () => undefined,
  });
  await expect(following).rejects.toThrow('gone');
});

const lost = new NoResponseError({ operation: 'o', server: 's', kind: 'refused', message: 'no response' });

test('goes on where it was when the server responds again', async () => {
  const happened = await follow({
    lists: [[job('a')]],
    logs: {
      a: [
        { entries: [entry('x')], last: 1 },
        lost,
        lost,
        { entries: [entry('y')], last: 2 },
        { last: 2, finished: true },
      ],
    },
    until: 'a ended',
  });
  expect(happened).toEqual([
    'a started',
    'read a from 0',
    'a: x',
    'paused 100',
    'read a from 1',
    'lost: no response',
    'paused 500',
    'read a from 1',
    'paused 1000',
    'read a from 1',
    'back',
    'a: y',
    'paused 100',
    'read a from 2',
    'a ended',
  ]);
});

test('ends with a first request that fails, and with a refusal', async () => {
  await expect(follow({ lists: [lost], logs: {}, until: '' })).rejects.toBe(lost);
  const details = { operation: 'o', server: 's', payload: null, message: 'gone' };
  const refused = new RefusedError({ ...details, status: 404, code: 4 });
  await expect(follow({ lists: [[job('a')]], logs: { a: [{ last: 0 }, refused] }, until: '' })).rejects.toBe(
    refused,
  );
});
