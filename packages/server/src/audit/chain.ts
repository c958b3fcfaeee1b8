// The hash chain of the audit log: each entry has a code over itself and its predecessor, so that no change or removal
// goes unnoticed.
import type { AuditHeadTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { entriesAfter, readAuditHead, type AuditRow } from './store.ts';

type Linked = Omit<AuditRow, 'id' | 'mac'>;

export interface AuditChain {
  macOf(entry: Linked, previous: string): string;
  isMacOf(mac: string, entry: Linked, previous: string): boolean;
  /** Seals the end of the chain, so that the newest entries cannot be cut off. */
  sealOf(seq: number, mac: string): string;
  isSealOf(seal: string, seq: number, mac: string): boolean;
  /** Seals the start of the chain: shows that the server itself removed the entries up to this one. */
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
  // Older entries have none of these fields and were linked without them.
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

/** Whether one of these keys sealed the end of the log; null if there is no log yet. */
export function isSealedBy(
  secrets: Secrets,
  head: Pick<AuditHeadTable, 'seq' | 'mac' | 'seal'> | undefined,
): boolean | null {
  return head === undefined ? null : createAuditChain(secrets).isSealOf(head.seal, head.seq, head.mac);
}

export interface AuditVerdict {
  /** Entries of the chain that are intact. */
  readonly linked: number;
  /** Entries from before the chain was introduced: they cannot be verified. */
  readonly unlinked: number;
  /** Entries that the server removed from the start of the chain (`Audit.Retention`). */
  readonly removed: number;
  /** The first problem found; null if there is none. */
  readonly problem: string | null;
}

const PAGE = 1000;

/** Verifies the whole log. It cannot detect that somebody removed the newest entries and put back an older head. */
export async function verifyAudit(db: Executor, secrets: Secrets): Promise<AuditVerdict> {
  for (;;) {
    const start = await readAuditHead(db, 'start');
    const verdict = await verifyFrom(db, secrets, start);
    // A running server may have removed the oldest entries meanwhile.
    const isFinal = verdict.problem === null || (await readAuditHead(db, 'start'))?.seq === start?.seq;
    if (isFinal) return verdict;
  }
}

async function verifyFrom(
  db: Executor,
  secrets: Secrets,
  start: AuditHeadTable | undefined,
): Promise<AuditVerdict> {
  const chain = createAuditChain(secrets);
  // Read before the entries: there may be more of them than it counts, never fewer.
  const head = await readAuditHead(db);
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
