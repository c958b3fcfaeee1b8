// Targets of a directory: the content items it is published to. Each has a record; one of them is active.
import { readRecords, type StoredRecord } from '@pressroom/api/publish';
import { hostOf } from '../ui/texts.ts';
import type { ContentRef } from './history.ts';
import type { Memory } from './memory.ts';

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

/** What a target is called: its own name, else its server. */
export function targetName({ target, server }: Pick<StoredRecord, 'target' | 'server'>): string {
  return target ?? hostOf(server);
}
