// The chain of audit entries: each has a code over itself and the one before, so that none can be changed or taken out unseen.
import type { AuditHeadTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { entriesAfter, readAuditHead, type AuditRow } from './store.ts';

type Linked = Omit<AuditRow, 'id' | 'mac'>;

export interface AuditChain {
  macOf(entry: Linked, previous: string): string;
  isMacOf(mac: string, entry: Linked, previous: string): boolean;
  /** What keeps the newest entries from being cut off. */
  sealOf(seq: number, mac: string): string;
  isSealOf(seal: string, seq: number, mac: string): boolean;
  /** What shows that the server itself removed the entries up to this one. */
  startSealOf(seq: number, mac: string): string;
  isStartSealOf(seal: string, seq: number, mac: string): boolean;
}

const ENTRY = 'audit entry';
const HEAD = 'audit head';
const START = 'audit start';

export function createAuditChain(secrets: Secrets): AuditChain {
  const headText = (seq: number, mac: string) => JSON.stringify([seq, mac]);
  return {
    macOf: (entry, previous) => secrets.mac(textOf(entry, previous), ENTRY),
    isMacOf: (mac, entry, previous) => secrets.isMacOf(mac, textOf(entry, previous), ENTRY),
    sealOf: (seq, mac) => secrets.mac(headText(seq, mac), HEAD),
    isSealOf: (seal, seq, mac) => secrets.isMacOf(seal, headText(seq, mac), HEAD),
    startSealOf: (seq, mac) => secrets.mac(headText(seq, mac), START),
    isStartSealOf: (seal, seq, mac) => secrets.isMacOf(seal, headText(seq, mac), START),
  };
}

function textOf(entry: Linked, previous: string): string {
  const { seq, time, user_id, user_description, action, event_description, content_guid } = entry;
  const { bundle_id, task_id, slack_user } = entry;
  // Entries of a time before these were fields were linked without them.
  const added = bundle_id ?? task_id ?? slack_user;
  return JSON.stringify([
    previous,
    seq,
    time,
    user_id,
    user_description,
    action,
    event_description,
    content_guid,
    ...(added === null ? [] : [bundle_id, task_id, slack_user]),
  ]);
}

/** Whether a key of these sealed the end of the log; null where there is no log yet. */
export function isSealedBy(
  secrets: Secrets,
  head: Pick<AuditHeadTable, 'seq' | 'mac' | 'seal'> | undefined,
): boolean | null {
  return head === undefined ? null : createAuditChain(secrets).isSealOf(head.seal, head.seq, head.mac);
}

export interface AuditVerdict {
  /** Entries of the chain that are as they were written. */
  readonly linked: number;
  /** Entries of a time before there was a chain: nothing is known of them. */
  readonly unlinked: number;
  /** Entries at the beginning of the chain that the server removed (`Audit.Retention`). */
  readonly removed: number;
  /** What is wrong first; null: nothing. */
  readonly problem: string | null;
}

const PAGE = 1000;

/** Reads the whole log. What was cut off together with its head by somebody who put back an older one is not found. */
export async function verifyAudit(db: Executor, secrets: Secrets): Promise<AuditVerdict> {
  const chain = createAuditChain(secrets);
  // Before the entries: those that come while they are read are more than it counts.
  const head = await readAuditHead(db);
  const start = await readAuditHead(db, 'start');
  const removed = start?.seq ?? 0;
  let [linked, unlinked, previous] = [0, 0, start?.mac ?? ''];
  let sealed = head?.seq === removed ? previous : '';
  const wrong = (problem: string): AuditVerdict => ({ linked, unlinked, removed, problem });
  if (start && !chain.isStartSealOf(start.seal, start.seq, start.mac))
    return wrong('the seal of the start was changed');
  for (let at = 0; ;) {
    const rows = await entriesAfter(db, at, PAGE);
    for (const row of rows) {
      at = row.id;
      if (row.seq === null || row.mac === null) {
        if (linked + removed > 0) return wrong(`entry ${row.id} is not linked, though entries before it are`);
        unlinked += 1;
        continue;
      }
      if (row.seq !== removed + linked + 1) return wrong(`entries before entry ${row.id} are missing`);
      if (!chain.isMacOf(row.mac, row, previous)) return wrong(`entry ${row.id} was changed`);
      previous = row.mac;
      linked += 1;
      if (removed + linked === head?.seq) sealed = row.mac;
    }
    if (rows.length < PAGE) break;
  }
  if (!head)
    return linked + removed === 0
      ? { linked, unlinked, removed, problem: null }
      : wrong('the end of the log is not sealed');
  if (!chain.isSealOf(head.seal, head.seq, head.mac)) return wrong('the seal of the end was changed');
  if (head.seq > removed + linked)
    return wrong(`${head.seq - removed - linked} of the newest entries are missing`);
  if (head.mac !== sealed) return wrong('the end of the log is not the one that was sealed');
  return { linked, unlinked, removed, problem: null };
}
