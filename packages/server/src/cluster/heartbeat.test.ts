import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { openStorage } from '../platform/database/storage.ts';
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
