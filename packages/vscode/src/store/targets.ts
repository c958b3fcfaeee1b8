// Targets of a directory: content items it is published to. Each has a record; one is active.
import { readRecords, type StoredRecord } from '@pressroom/api/publish';
import { hostOf } from '../ui/texts.ts';
import type { ContentRef } from './content-ref.ts';
import type { Memory } from './memory.ts';
import type { Run } from './runs.ts';

/** The selected one, otherwise the last published. @throws RecordError */
export async function activeTarget(
  dir: string,
  memory: Pick<Memory, 'target'>,
): Promise<StoredRecord | undefined> {
  return chooseActive(await readRecords(dir), memory.target(dir));
}

/** @param records newest first */
export function chooseActive(
  records: readonly StoredRecord[],
  chosen: ContentRef | undefined,
): StoredRecord | undefined {
  return records.find((record) => isOf(record, chosen)) ?? records[0];
}

/** Whether a record is of this content item. */
export function isOf(record: ContentRef, content: ContentRef | undefined): boolean {
  return content !== undefined && record.server === content.server && record.guid === content.guid;
}

/**
 * What is shown of a directory's last run. Its outcome concerns its own target, not another one that became active; an
 * unknown outcome is shown until it was checked.
 */
export function shownRun(run: Run | undefined, active: StoredRecord | undefined): Run | undefined {
  if (run === undefined || run.state === 'running' || run.state === 'unknown') return run;
  // Forgotten or deleted targets are no longer live.
  if (active === undefined) return run.state === 'done' ? undefined : run;
  const { server, guid } = run;
  return guid === undefined || isOf(active, { server, guid }) ? run : undefined;
}

/** Name of a target: its own, otherwise its server's. */
export function targetName({ target, server }: Pick<StoredRecord, 'target' | 'server'>): string {
  return target ?? hostOf(server);
}
