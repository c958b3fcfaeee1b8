// A parsed `pg_current_snapshot()`: which transactions have ended and are visible.

export interface Snapshot {
  /** First transaction that has not started. */
  readonly end: bigint;
  /** Earlier transactions in progress. */
  readonly open: ReadonlySet<bigint>;
}

/** Maximum transactions between two snapshots that are listed individually. */
const LISTED = 1000n;

/** @param text `first open:end:open,open,…` */
export function readSnapshot(text: string): Snapshot {
  const [, end = '0', open = ''] = text.split(':');
  return { end: BigInt(end), open: new Set(open === '' ? [] : open.split(',').map(BigInt)) };
}

/** The transactions that ended between two snapshots; null if unknown. */
export function endedBetween(before: Snapshot, after: Snapshot): bigint[] | null {
  // Another database responds, or an older copy.
  if (after.end < before.end || after.end - before.end > LISTED) return null;
  const ended = [...before.open].filter((id) => !after.open.has(id));
  for (let id = before.end; id < after.end; id += 1n) if (!after.open.has(id)) ended.push(id);
  return ended;
}
