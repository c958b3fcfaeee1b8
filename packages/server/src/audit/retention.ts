// Removes the oldest audit entries and seals the new start of the chain, so that the rest can still be verified.
import { setImmediate } from 'node:timers/promises';
import { toTimestamp } from '../platform/clock.ts';
import type { Micros } from '../platform/database/schema.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { createAuditChain } from './chain.ts';
import { SYSTEM, type Audit } from './record.ts';
import { findAuditCursor, newestRemovable, removeAuditUpTo, writeAuditHead } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly audit: Audit;
}

/** Entries of a portion: all writers wait for it. */
const REMOVED_AT_ONCE = 5000;

/**
 * Keeps entries that are younger, that follow a younger one, or that a receiver still needs. Each portion is logged as
 * an entry itself.
 * @param receivers names of the sinks in use
 * @param signal ends it early: the rest is removed the next day
 * @returns the number of removed entries
 */
export async function removeOldAuditEntries(
  { storage, secrets, audit }: Parts,
  before: Micros,
  receivers: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const chain = createAuditChain(secrets);
  const upTo = await lastReceived(storage.db, receivers);

  const removePortion = async (tx: Executor): Promise<number> => {
    const newest = await newestRemovable(tx, { before, upTo, count: REMOVED_AT_ONCE });
    if (newest === undefined) return 0;
    const { id, seq, mac } = newest;
    if (seq !== null && mac !== null)
      await writeAuditHead(tx, { name: 'start', seq, mac, seal: chain.startSealOf(seq, mac) });
    const count = await removeAuditUpTo(tx, id);
    const until = toTimestamp(before);
    await audit(tx, SYSTEM, 'remove_audit_entries', `Removed ${count} audit entries from before ${until}`);
    return count;
  };

  let removed = 0;
  for (;;) {
    const count = await storage.write(removePortion);
    removed += count;
    if (count < REMOVED_AT_ONCE || signal.aborted) return removed;
    // SQLite's statements do not wait for events: others would not get a turn.
    await setImmediate();
  }
}

/** The id up to which all receivers have the entries. One that is not known yet starts with the newest entry. */
async function lastReceived(db: Executor, receivers: readonly string[]): Promise<number> {
  const cursors = await Promise.all(receivers.map((name) => findAuditCursor(db, name)));
  return Math.min(Number.MAX_SAFE_INTEGER, ...cursors.filter((id) => id !== undefined));
}
