// After a stop of the only server: repositories whose last deploy was interrupted are checked again. Polling would take
// their commit for tried, and a push is announced once.
import { storedCommit } from '../bundles/commit.ts';
import { findBundle } from '../bundles/store.ts';
import { findRelease } from '../deploys/approvals/store.ts';
import type { Executor } from '../platform/database/storage.ts';
import { MAX_INTERRUPTIONS, mayRetry, type RetryParts } from '../tasks/interruptions.ts';
import { recentTasks, type TaskRow } from '../tasks/store.ts';
import { listRepositories, updateRepositoryRow, type RepositoryRow } from './store.ts';

export async function retryInterrupted({ storage, clock }: RetryParts): Promise<void> {
  for (const row of await listRepositories(storage.db)) {
    const tasks = await recentTasks(storage.db, row.content_guid, MAX_INTERRUPTIONS, ['deploy']);
    const [last] = tasks;
    if (!last || !mayRetry(tasks)) continue;
    if (!(await isOfCommit(storage.db, row, last))) continue;
    const again = { last_commit: null, look_time: clock.now() };
    await storage.write((tx) => updateRepositoryRow(tx, row.content_guid, again));
  }
}

/** Not a rollback or the deploy of an approved bundle, which a person starts again. */
async function isOfCommit(db: Executor, row: RepositoryRow, { bundle_id }: TaskRow): Promise<boolean> {
  if (bundle_id === null) return true;
  const bundle = await findBundle(db, bundle_id);
  if (!bundle || bundle.deployed_time !== null || (await findRelease(db, bundle_id))) return false;
  return storedCommit(bundle.source)?.sha === row.last_commit;
}
