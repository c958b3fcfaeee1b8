// Logs of processes on other servers without a shared directory: uploaded at their end, downloaded on request.
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '@pressroom/api/contract';
import type { LogArchives } from '../platform/blobs/blob-store.ts';
import { partsOf } from './log-file.ts';

/** Uploads both parts of a closed log. */
export async function storeLog(
  archives: LogArchives,
  contentGuid: string,
  key: string,
  path: string,
): Promise<void> {
  for (const [name, part] of partsOf(key, path))
    if (existsSync(part)) await archives.put(contentGuid, name, createReadStream(part));
}

/** Downloads missing parts; does nothing if the process is still running or its log is gone. */
export async function fetchLog(
  archives: LogArchives,
  contentGuid: string,
  key: string,
  path: string,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // The log itself last: once it is here, nothing is downloaded again.
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
