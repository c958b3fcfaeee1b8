// Logs of processes that ran on other servers, where these do not share a directory: stored at their end, fetched when asked for.
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '@pressroom/api/contract';
import type { LogArchives } from '../platform/blobs/blob-store.ts';
import { partsOf } from './log-file.ts';

/** Stores both parts of a log that is closed. */
export async function storeLog(
  archives: LogArchives,
  contentGuid: string,
  key: string,
  path: string,
): Promise<void> {
  for (const [name, part] of partsOf(key, path))
    if (existsSync(part)) await archives.put(contentGuid, name, createReadStream(part));
}

/** Fetches what is not here; nothing where the process has not ended, or its log is gone. */
export async function fetchLog(
  archives: LogArchives,
  contentGuid: string,
  key: string,
  path: string,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // The log itself last: once it is here, nothing is fetched again.
  for (const [name, part] of partsOf(key, path).toReversed()) {
    const partial = `${part}.${process.hrtime.bigint()}`;
    try {
      const { stream } = await archives.open(contentGuid, name);
      await pipeline(stream, createWriteStream(partial, { mode: 0o600 }));
      await rename(partial, part);
    } catch (error) {
      await rm(partial, { force: true });
      if (!(error instanceof ApiError && error.code === 4)) throw error;
    }
  }
}

export async function forgetLog(
  archives: LogArchives,
  contentGuid: string,
  key: string,
  path: string,
): Promise<void> {
  for (const [name] of partsOf(key, path)) await archives.remove(contentGuid, name);
}
