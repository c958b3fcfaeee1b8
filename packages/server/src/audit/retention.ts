// Removes the oldest audit entries, and seals where the chain begins, so that what is left can still be verified.
import { toTimestamp } from '../platform/clock.ts';
import type { Micros } from '../platform/database/schema.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { createAuditChain } from './chain.ts';
import { SYSTEM, type Audit } from './record.ts';
import {
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

/**
 * Entries stay that are younger, that come after a younger one, or that a receiver has not got yet. The removal is an entry
 * itself.
 * @param receivers names of the sinks in use
 * @returns how many were removed
 */
export function removeOldAuditEntries(
  { storage, secrets, audit }: Parts,
  before: Micros,
  receivers: readonly string[],
): Promise<number> {
  const chain = createAuditChain(secrets);
  return storage.write(async (tx) => {
    const younger = await oldestAuditFrom(tx, before);
    let last = younger === undefined ? Number.MAX_SAFE_INTEGER : younger.id - 1;
    // One that is not known yet begins with the newest entry.
    for (const name of receivers) last = Math.min(last, (await findAuditCursor(tx, name)) ?? last);
    const newest = await newestAuditBefore(tx, before, last);
    if (newest === undefined) return 0;
    const { id, seq, mac } = newest;
    if (seq !== null && mac !== null)
      await writeAuditHead(tx, { name: 'start', seq, mac, seal: chain.startSealOf(seq, mac) });
    const removed = await removeAuditUpTo(tx, id);
    const until = toTimestamp(before);
    await audit(tx, SYSTEM, 'remove_audit_entries', `Removed ${removed} audit entries from before ${until}`);
    return removed;
  });
}
