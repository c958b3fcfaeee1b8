import type { Client } from '@pressroom/api/client';
import type { DeployEvent } from '@pressroom/api/publish';
import { expect, test } from 'vitest';
import { firstVisit } from './first-visit.ts';

const done = {
  type: 'done',
  url: 'https://x/content/g/',
  content: { guid: 'g' },
  bundle_id: '7',
} as DeployEvent;
const shown = { stage: () => undefined, waiting: () => undefined };

async function visit(parts: Partial<Record<keyof Client, unknown>>) {
  const events = (async function* () {
    yield { type: 'log', line: 'x', index: 0 } as DeployEvent;
    yield done;
  })();
  const signal = new AbortController().signal;
  return (await Array.fromAsync(firstVisit(parts as unknown as Client, signal, shown, events))).at(-1);
}

const jobs = {
  getContentJobs: async () => [
    { key: 'old', bundle_id: '6' },
    { key: 'new', bundle_id: '7' },
  ],
  getContentJobLog: async ({ key }: { key: string }) => ({ entries: [{ data: `Error in ${key}` }] }),
};

test('reports a page that does not open with the output of its process', async () => {
  expect(await visit({ openContent: async () => ({ status: 502 }), ...jobs })).toEqual({
    type: 'broken',
    guid: 'g',
    url: 'https://x/content/g/',
    status: 502,
    printed: ['Error in new'],
  });
});

test('waits for output printed shortly after the page failed', async () => {
  const pieces = [
    { entries: [{ data: 'Started' }], last: 1, finished: false },
    { entries: [{ data: 'Traceback (most recent call last):' }], last: 2, finished: true },
  ];
  const getContentJobLog = async () => pieces.shift();
  const client = { openContent: async () => ({ status: 500 }), ...jobs, getContentJobLog };
  expect(await visit(client)).toMatchObject({ printed: ['Started', 'Traceback (most recent call last):'] });
});

test('reads a failure that is printed in two parts to its end', async () => {
  const pieces = [
    { entries: [{ data: 'Traceback (most recent call last):' }], last: 1, finished: false },
    { entries: [{ data: "ModuleNotFoundError: No module named 'pandas'" }], last: 2, finished: false },
    { entries: [], last: 2, finished: false },
    { entries: [{ data: 'never read' }], last: 3, finished: true },
  ];
  const getContentJobLog = async () => pieces.shift();
  const client = { openContent: async () => ({ status: 500 }), ...jobs, getContentJobLog };
  expect(await visit(client)).toMatchObject({
    printed: ['Traceback (most recent call last):', "ModuleNotFoundError: No module named 'pandas'"],
  });
});

test('reports a failing page on a server without logs, and why lines are missing', async () => {
  const none = async () => {
    throw new Error('404');
  };
  const client = { openContent: async () => ({ status: 500 }), getContentJobs: none };
  expect(await visit(client)).toMatchObject({
    type: 'broken',
    status: 500,
    printed: ['What its process printed could not be read: 404.'],
  });
});

test('treats a page that opens, requires sign-in or cannot be requested as published', async () => {
  for (const status of [200, 302, 401, 404])
    expect(await visit({ openContent: async () => ({ status }), ...jobs })).toBe(done);
  const lost = async () => {
    throw new Error('timeout');
  };
  expect(await visit({ openContent: lost, ...jobs })).toBe(done);
});
