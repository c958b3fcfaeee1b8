// Targets of a directory: content items it is published to. Each has a record; one is active.
import path from 'node:path';
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

const STARTS = /\.(r|rmd|qmd|py|ipynb|html?)$/i;

/** The file that content starts from, without its ending: a page stands for the document that it was rendered from. */
function startOf(entrypoint: string): string {
  if (STARTS.test(entrypoint)) return entrypoint.replace(STARTS, '');
  // A module, such as app:app.
  return entrypoint.split(':')[0]!.replaceAll('.', '/');
}

/** The target that starts from a file of the directory, the active one first; undefined if none does. */
export function targetOfFile(
  records: readonly StoredRecord[],
  active: StoredRecord | undefined,
  dir: string,
  file: string,
): StoredRecord | undefined {
  const start = startOf(path.relative(dir, file).split(path.sep).join('/'));
  const isFrom = ({ entrypoint }: StoredRecord) => entrypoint !== null && startOf(entrypoint) === start;
  return active !== undefined && isFrom(active) ? active : records.find(isFrom);
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
