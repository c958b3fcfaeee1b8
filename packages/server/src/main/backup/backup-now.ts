// A backup that a running server makes of itself for download: in a directory that processes of content cannot enter,
// removed once it was sent.
import { chmodSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { errors } from '@pressroom/api/contract';
import type { BackupNow } from '../../platform/backup.ts';
import type { Config } from '../config/settings.ts';
import { createBackup } from './create-backup.ts';

export function createBackupNow(config: Config): BackupNow {
  let isBusy = false;
  return async () => {
    if (isBusy) return null;
    isBusy = true;
    await using stack = new AsyncDisposableStack();
    stack.defer(() => {
      isBusy = false;
    });
    const dataDir = resolve(config['Server.DataDir']);
    await removeLeftBackups(dataDir, Date.now() - DAY_MS);
    // Created with rights for its owner only.
    const directory = await mkdtemp(join(dataDir, PREFIX));
    stack.defer(() => rm(directory, { recursive: true, force: true }));
    const file = join(directory, 'pressroom.tar');
    const { bytes } = await createBackup(config, file, {
      copy: copyBeside,
      take: (wanted) => requireRoom(directory, wanted, config['Applications.DiskReserve']),
    });
    const sent = stack.move();
    return { bytes, file, [Symbol.asyncDispose]: () => sent.disposeAsync() };
  };
}

/** Not only `backup-`: people keep their own there. */
const PREFIX = 'backup-download-';
const DAY_MS = 86_400_000;

/** Removes backups of servers that were killed. @param before when they were made, in milliseconds since 1970 */
export async function removeLeftBackups(dataDir: string, before: number): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(dataDir, name);
    // Another server may have sent it by now.
    const made = await stat(path).catch(() => null);
    if (made !== null && made.mtimeMs < before) await rm(path, { recursive: true, force: true });
  }
}

/** @throws ApiError 134 if so many bytes would use the disk reserve */
async function requireRoom(directory: string, bytes: number, reserve: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  const room = bavail * bsize - reserve;
  if (bytes <= room) return;
  const mebibytes = (count: number) => `${Math.ceil(count / 2 ** 20)} MiB`;
  throw errors.bundleNotWritten({
    message: `No room for the backup on the server's disk: it takes ${mebibytes(bytes)} more, ${mebibytes(Math.max(0, room))} are left beside the ${mebibytes(reserve)} that are kept free (Applications.DiskReserve). On the server, npm run backup writes to another disk.`,
  });
}

const COPY = `const { workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const source = new DatabaseSync(workerData.from, { readOnly: true });
source.exec('pragma busy_timeout = 60000');
source.prepare('vacuum into ?').run(workerData.to);
source.close();`;

/** Copies in a worker thread: the server keeps answering. */
async function copyBeside(from: string, to: string): Promise<void> {
  await new Promise<void>((done, failed) => {
    new Worker(COPY, { eval: true, workerData: { from, to } })
      .once('error', failed)
      .once('exit', () => done());
  });
  chmodSync(to, 0o600);
}
