// For tests: rows of ongoing work.
import { systemIds } from '../platform/clock.ts';
import type { Micros } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import { insertTask } from './store.ts';

/** An unfinished task. */
export async function insertOpenTask(db: Executor, created_time: Micros): Promise<void> {
  await insertTask(db, {
    id: systemIds().taskId(),
    kind: 'deploy',
    content_guid: null,
    bundle_id: null,
    user_guid: '',
    node: '',
    lease_until: created_time,
    created_time,
  });
}
