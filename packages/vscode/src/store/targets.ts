// Targets of a directory: the content items it is published to. Each has a record; one of them is active.
import { readRecords, type StoredRecord } from '@pressroom/api/publish';
import { hostOf } from '../ui/texts.ts';
import type { ContentRef } from './history.ts';
import type { Memory } from './memory.ts';
import type { Run } from './runs.ts';

/** The one that the person chose, else the one that was published last. Throws RecordError. */
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

/** Whether a record is of this content. */
export function isOf(record: ContentRef, content: ContentRef | undefined): boolean {
  return content !== undefined && record.server === content.server && record.guid === content.guid;
}

/**
 * What is shown of the last run of a directory. How it ended is of its own target, and not of another one that is active by
 * now; where the end is not known, it stays until it was looked for.
 */
export function shownRun(run: Run | undefined, active: StoredRecord | undefined): Run | undefined {
  if (run === undefined || run.state === 'running' || run.state === 'unknown') return run;
  // What was published and then forgotten or deleted is no longer live.
  if (active === undefined) return run.state === 'done' ? undefined : run;
  const { server, guid } = run;
  return guid === undefined || isOf(active, { server, guid }) ? run : undefined;
}

/** What a target is called: its own name, else its server. */
export function targetName({ target, server }: Pick<StoredRecord, 'target' | 'server'>): string {
  return target ?? hostOf(server);
}
