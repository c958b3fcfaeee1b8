// Removes the oldest audit entries and seals the new start of the chain, so that the rest can still be verified.
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
 * Keeps entries that are younger, that follow a younger one, or that a receiver still needs. The removal is logged as
 * an entry itself.
 * @param receivers names of the sinks in use
 * @returns the number of removed entries
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
    // A receiver that is not known yet starts with the newest entry.
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
