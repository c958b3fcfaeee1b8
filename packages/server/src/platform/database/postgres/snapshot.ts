// What `pg_current_snapshot()` says: which transactions are over, so that others see what they did.

export interface Snapshot {
  /** From here on none is over. */
  readonly end: bigint;
  /** Those before that are not over either. */
  readonly open: ReadonlySet<bigint>;
}

/** More that ended between two of them are not told apart. */
const LISTED = 1000n;

/** @param text `first open:end:open,open,…` */
export function readSnapshot(text: string): Snapshot {
  const [, end = '0', open = ''] = text.split(':');
  return { end: BigInt(end), open: new Set(open === '' ? [] : open.split(',').map(BigInt)) };
}

/** The transactions that ended between two snapshots; null where that is not known. */
export function endedBetween(before: Snapshot, after: Snapshot): bigint[] | null {
  // Another database answers, or a copy of what it was.
  if (after.end < before.end || after.end - before.end > LISTED) return null;
  const ended = [...before.open].filter((id) => !after.open.has(id));
  for (let id = before.end; id < after.end; id += 1n) if (!after.open.has(id)) ended.push(id);
  return ended;
}
