// Logs without a job: another server forgot it, or a transfer between servers broke off.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Micros } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import { partsOf } from './log-file.ts';
import { listedJobs } from './store.ts';

/** Names by content item. */
export type LogNames = ReadonlyMap<string, ReadonlySet<string>>;

/** The logs that jobs may have. */
export async function listedLogs(db: Executor): Promise<LogNames> {
  const jobs = Map.groupBy(await listedJobs(db), ({ content_guid }) => content_guid);
  const namesOf = (key: string) => partsOf(key, '').map(([name]) => name);
  return new Map(
    [...jobs].map(([guid, rows]) => [guid, new Set(rows.flatMap(({ key }) => namesOf(key)))] as const),
  );
}

/**
 * Returns the names of what it removed. Other content may be of another database: its logs stay.
 * @param before newer logs stay: their job may not be listed yet
 */
export async function removeLeftLogs(directory: string, listed: LogNames, before: Micros): Promise<string[]> {
  const removed: string[] = [];
  for (const [guid, names] of listed) {
    for (const name of await readdir(join(directory, guid)).catch(() => [])) {
      if (names.has(name)) continue;
      const path = join(directory, guid, name);
      const written = await stat(path).catch(() => null);
      if (written === null || written.mtimeMs * 1000 >= before) continue;
      await rm(path, { force: true });
      removed.push(name);
    }
  }
  return removed;
}
