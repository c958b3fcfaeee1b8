// Renderings as jobs: the tasks that render a document. All that they say is in their tasks.
import { findKind, type Job, type TaskStage } from '@pressroom/api/contract';
import { newestBundle } from '../bundles/store.ts';
import { storedManifest } from '../bundles/stored-manifest.ts';
import type { ContentRow } from '../content/store.ts';
import { toTimestamp } from '../platform/clock.ts';
import type { Executor } from '../platform/database/storage.ts';
import { findTask, readLines, recentTasks, type TaskRow } from '../tasks/store.ts';
import type { LogPart } from './log-file.ts';

export interface Rendering extends Omit<TaskRow, 'stages'> {
  readonly content_guid: string;
  readonly bundle_id: number;
  readonly stages: readonly TaskStage[];
  readonly tag: Job['tag'];
}

/** Tasks of a content item that are read for its list. */
const LISTED = 200;
const KINDS = ['deploy', 'draft', 'render'];

/** Newest first, at most 200. Without deploys that took over a finished draft: they rendered nothing. */
export async function listRenderings(db: Executor, content: ContentRow): Promise<Rendering[]> {
  const tag = await tagOf(db, content);
  if (tag === null) return [];
  const tasks = await recentTasks(db, content.guid, LISTED, KINDS);
  return tasks
    .flatMap((task) => asRendering(task, tag) ?? [])
    .filter(
      ({ kind, finished, code, stages }) =>
        kind === 'render' || !finished || code !== 0 || stages.some(({ name }) => name === 'render'),
    );
}

/** @param key id of its task */
export async function findRendering(
  db: Executor,
  content: ContentRow,
  key: string,
): Promise<Rendering | undefined> {
  const task = await findTask(db, key);
  if (task?.content_guid !== content.guid || !KINDS.includes(task.kind)) return undefined;
  const tag = await tagOf(db, content);
  return tag === null ? undefined : asRendering(task, tag);
}

/** When work on it began; while it waits for its turn, when it was requested. */
export function startOf({ stages, created_time }: Rendering): string {
  return stages[0]?.time ?? toTimestamp(created_time);
}

/** The last lines from number `first` on. @param most at most so many */
export async function readRendering(
  db: Executor,
  rendering: Rendering,
  first: number,
  most: number,
): Promise<LogPart> {
  const { id, lines: count, stages } = rendering;
  const from = Math.max(first, count - most);
  const lines = count > from ? await readLines(db, id, from) : [];
  const timeOf = (line: number) =>
    stages.findLast((stage) => stage.line <= line)?.time ?? toTimestamp(rendering.created_time);
  return {
    entries: lines.map((data, index) => ({ timestamp: timeOf(from + index), data })),
    last: lines.length > 0 ? from + lines.length : count,
  };
}

/** The tag of its renderings; null if it is no document. Before its first deploy, its newest bundle says what it is. */
async function tagOf(db: Executor, { guid, app_mode, kind }: ContentRow): Promise<Job['tag'] | null> {
  const bundle = app_mode === 'unknown' ? await newestBundle(db, guid) : undefined;
  const { engine, tag } =
    findKind(bundle ? storedManifest(bundle.manifest).appmode : (kind ?? app_mode)) ?? {};
  return engine === 'document' && tag !== undefined ? tag : null;
}

/** Undefined while the commit that it renders is fetched. */
function asRendering(task: TaskRow, tag: Job['tag']): Rendering | undefined {
  const { content_guid, bundle_id } = task;
  if (content_guid === null || bundle_id === null) return undefined;
  return { ...task, content_guid, bundle_id, stages: JSON.parse(task.stages) as TaskStage[], tag };
}
