// Removes the oldest audit entries and seals the new start of the chain, so that the rest can still be verified.
import { setImmediate } from 'node:timers/promises';
import { toTimestamp } from '../platform/clock.ts';
import type { Micros } from '../platform/database/schema.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { createAuditChain } from './chain.ts';
import { SYSTEM, type Audit } from './record.ts';
import {
  endOfOldestAudit,
  findAuditCursor,
  newestAuditBefore,
  oldestAuditFrom,
  removeAuditUpTo,
  writeAuditHead,
} from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly audit: Audit;
}

/** Entries per transaction: all writers wait for it. */
const REMOVED_AT_ONCE = 5000;

/**
 * Keeps entries that are younger, that follow a younger one, or that a receiver still needs. Each portion is logged as
 * an entry itself.
 * @param receivers names of the sinks in use
 * @returns the number of removed entries
 */
export async function removeOldAuditEntries(
  parts: Parts,
  before: Micros,
  receivers: readonly string[],
  signal?: AbortSignal,
): Promise<number> {
  const { db } = parts.storage;
  const younger = await oldestAuditFrom(db, before);
  let last = younger === undefined ? Number.MAX_SAFE_INTEGER : younger.id - 1;
  // A receiver that is not known yet starts with the newest entry.
  for (const name of receivers) last = Math.min(last, (await findAuditCursor(db, name)) ?? last);
  const newest = await newestAuditBefore(db, before, last);
  if (newest === undefined) return 0;
  let all = 0;
  for (;;) {
    const removed = await parts.storage.write((tx) => removePortion(parts, tx, before, newest.id));
    all += removed;
    if (removed < REMOVED_AT_ONCE || signal?.aborted === true) return all;
    // SQLite's statements do not wait for events: others would not get a turn.
    await setImmediate();
  }
}

async function removePortion(
  { secrets, audit }: Parts,
  tx: Executor,
  before: Micros,
  last: number,
): Promise<number> {
  // Read in the turn: another server may have removed these.
  const end = await endOfOldestAudit(tx, last, REMOVED_AT_ONCE);
  if (end === undefined) return 0;
  const { id, seq, mac } = end;
  const chain = createAuditChain(secrets);
  if (seq !== null && mac !== null)
    await writeAuditHead(tx, { name: 'start', seq, mac, seal: chain.startSealOf(seq, mac) });
  const removed = await removeAuditUpTo(tx, id);
  const until = toTimestamp(before);
  await audit(tx, SYSTEM, 'remove_audit_entries', `Removed ${removed} audit entries from before ${until}`);
  return removed;
}
