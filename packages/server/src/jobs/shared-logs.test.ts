import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { LogArchives } from '../platform/blobs/blob-store.ts';
import { fetchLog } from './shared-logs.ts';

test('a log transfer that breaks off leaves no file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-shared-logs-'));
  const archives: LogArchives = {
    put: () => Promise.reject(new Error('nothing is stored here')),
    open: async () => ({ stream: Readable.from(brokenOff()), size: 100 }),
    remove: async () => undefined,
    removeAll: async () => undefined,
    sweep: async () => [],
  };
  try {
    await expect(fetchLog(archives, 'c', 'k', join(directory, 'c', 'log'))).rejects.toThrow('broken off');
    expect(await readdir(join(directory, 'c'))).toEqual([]);
  } finally {
    await rm(directory, { recursive: true });
  }
});

async function* brokenOff() {
  yield Buffer.from('a line');
  throw new Error('broken off');
}
