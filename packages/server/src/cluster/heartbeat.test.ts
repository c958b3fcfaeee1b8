import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { openStorage } from '../platform/database/storage.ts';
import { listHeartbeats, showHeartbeat } from './heartbeat-store.ts';
import { startHeartbeat } from './heartbeat.ts';

const directory = mkdtempSync(join(tmpdir(), 'pressroom-heartbeat-'));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('work that fails with each heartbeat does not keep other work from it', async () => {
  await using storage = await openStorage(join(directory, 'pressroom.sqlite'));
  await using heartbeat = await startHeartbeat({
    storage: { ...storage, isShared: true },
    node: 'n',
    name: 'host:3939',
    log: pino({ level: 'silent' }),
    onLost: async () => undefined,
  });
  const other = vi.fn(async () => undefined);
  heartbeat!.onBeat(() => Promise.reject(new Error('again')));
  heartbeat!.onBeat(other);
  await heartbeat!.beat();
  expect(other).toHaveBeenCalledOnce();
});

test('work that takes long does not keep a lost server from being detected', async () => {
  await using storage = await openStorage(join(directory, 'pressroom.sqlite'));
  vi.useFakeTimers({ toFake: ['setInterval', 'performance'] });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => void vi.useRealTimers());
  const lost = Promise.withResolvers<string>();
  const heartbeat = stack.use(
    await startHeartbeat({
      storage: { ...storage, isShared: true },
      node: 'n',
      name: 'host:3939',
      log: pino({ level: 'silent' }),
      onLost: async (_tx, node) => lost.resolve(node),
    }),
  );
  await showHeartbeat(storage.db, 'killed', 'host:3940');
  const work = Promise.withResolvers<void>();
  stack.defer(() => work.resolve());
  heartbeat!.onBeat(() => work.promise);
  for (let seconds = 0; seconds <= 30; seconds += 5) {
    vi.advanceTimersByTime(5000);
    // By the time this query returns, so has that of the heartbeat.
    await listHeartbeats(storage.db);
    await new Promise(setImmediate);
  }
  expect(await lost.promise).toBe('killed');
});
