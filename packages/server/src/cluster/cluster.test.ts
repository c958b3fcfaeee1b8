// Covers servers whose clocks differ, and one that starts again after it was killed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { openStorage } from '../platform/database/storage.ts';
import { createSecrets } from '../platform/secrets/secrets.ts';
import { createCluster } from './cluster.ts';
import { keepServer, listServers } from './store.ts';

const HOUR = 3_600_000_000;

test('a server whose clock is hours ahead keeps the running servers in its list', async () => {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-cluster-'));
  stack.defer(() => rm(directory, { recursive: true }));
  const storage = stack.use(await openStorage(join(directory, 'x.sqlite')));
  const secrets = createSecrets(Buffer.alloc(32, 1).toString('base64'));
  const at = (node: string, ahead: number) =>
    stack.use(
      createCluster({
        storage,
        secrets,
        node,
        clock: { now: () => Date.now() * 1000 + ahead },
        log: pino({ level: 'silent' }),
        onRefused: async () => undefined,
      }),
    );
  const [right, ahead] = [at('right', 0), at('ahead', 5 * HOUR)];
  await right.join('127.0.0.1:1');
  await ahead.join('127.0.0.1:2');
  expect((await ahead.others()).map(({ node }) => node)).toEqual(['right']);
});

test('a server that left does not reappear when its last heartbeat is written late', async () => {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-cluster-'));
  stack.defer(() => rm(directory, { recursive: true }));
  const storage = stack.use(await openStorage(join(directory, 'x.sqlite')));
  const { db } = storage;
  const keep = db.insertInto('cluster_server');
  vi.useFakeTimers({ toFake: ['setInterval'] });
  stack.defer(() => void vi.useRealTimers());
  const cluster = createCluster({
    storage,
    secrets: createSecrets(Buffer.alloc(32, 1).toString('base64')),
    node: 'one',
    clock: { now: () => Date.now() * 1000 },
    log: pino({ level: 'silent' }),
    onRefused: async () => undefined,
  });
  await cluster.join('127.0.0.1:1');
  expect(await listServers(db)).toHaveLength(1);
  // The write is delayed, as in a database under load.
  const [sent, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const late = (row: never) => ({
    onConflict: (how: never) => ({
      async execute() {
        sent.resolve();
        await written.promise;
        await keep.values(row).onConflict(how).execute();
      },
    }),
  });
  const held = vi.spyOn(db, 'insertInto').mockReturnValueOnce({ values: late } as never);
  vi.advanceTimersByTime(5000);
  await sent.promise;
  held.mockRestore();
  const left = cluster[Symbol.asyncDispose]();
  // By the time this query returns, a server that does not wait for its heartbeat would have left.
  await listServers(db);
  await new Promise(setImmediate);
  written.resolve();
  await left;
  await new Promise(setImmediate);
  expect(await listServers(db)).toEqual([]);
});

test('a server that was killed is no longer shown once another one has its address', async () => {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-cluster-'));
  stack.defer(() => rm(directory, { recursive: true }));
  const storage = stack.use(await openStorage(join(directory, 'x.sqlite')));
  const gone: string[] = [];
  const now = Date.now() * 1000;
  await keepServer(storage.db, { node: 'killed', address: '127.0.0.1:1', started: now, heartbeat: now });
  await keepServer(storage.db, { node: 'other', address: '127.0.0.1:2', started: now, heartbeat: now });
  const next = stack.use(
    createCluster({
      storage,
      secrets: createSecrets(Buffer.alloc(32, 1).toString('base64')),
      node: 'next',
      clock: { now: () => now },
      log: pino({ level: 'silent' }),
      onRefused: async (node) => void gone.push(node),
    }),
  );
  await next.join('127.0.0.1:1');
  expect((await next.others()).map(({ node }) => node)).toEqual(['other']);
  expect(gone).toEqual(['killed']);
});
