// Covers servers that claim one data directory at the same moment.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { claimDataDirectory, DataDirectoryInUse, shareDataDirectory } from './claim-data-directory.ts';

const SERVERS = 3;
const ROUNDS = 150;
/** Claims in rounds, each begun by all at once. */
const PROGRAM = `
const { workerData } = require('node:worker_threads');
const { counts, dataDir, module, number } = workerData;
function together() {
  const before = Atomics.add(counts, 0, 1);
  const all = (Math.floor(before / ${SERVERS}) + 1) * ${SERVERS};
  if (before + 1 === all) Atomics.notify(counts, 0);
  for (let at = before + 1; at < all; at = Atomics.load(counts, 0)) Atomics.wait(counts, 0, at);
}
import(module).then(async ({ shareDataDirectory }) => {
  for (let round = 1; round <= ${ROUNDS}; round += 1) {
    together();
    const own = dataDir + '/own/' + number + '-' + round;
    using claim = await shareDataDirectory(dataDir, own, () => undefined);
    if (claim.isAlone) Atomics.add(counts, round, 1);
    claim.share();
    together();
  }
});`;

test('of servers that start at once exactly one is alone', async () => {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'pressroom-claim-'));
  stack.defer(() => rm(dataDir, { recursive: true }));
  const counts = new Int32Array(new SharedArrayBuffer(4 * (1 + ROUNDS)));
  const module = join(import.meta.dirname, 'claim-data-directory.ts');
  const servers = Array.from({ length: SERVERS }, (_, number) => {
    const worker = new Worker(PROGRAM, { eval: true, workerData: { counts, dataDir, module, number } });
    stack.defer(() => void worker.terminate());
    return once(worker, 'exit');
  });
  await Promise.all(servers);
  expect([...counts].slice(1).filter((alone) => alone !== 1)).toEqual([]);
});

test('a directory that a server has alone cannot be shared, and can be once that has ended', async () => {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'pressroom-claim-'));
  stack.defer(() => rm(dataDir, { recursive: true }));
  const waits: string[] = [];
  const share = () => shareDataDirectory(dataDir, join(dataDir, 'own'), (what) => waits.push(what), 0);
  {
    using _alone = claimDataDirectory(dataDir);
    await expect(share()).rejects.toThrow(DataDirectoryInUse);
  }
  // Nobody waits without being told.
  expect(waits).toEqual([expect.stringContaining('alone')]);
  using claim = await share();
  expect([claim.isAlone, waits.length]).toEqual([true, 1]);
});
