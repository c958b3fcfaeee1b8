// API representation of deploys: from existing tasks, and from bundles whose task was removed.
import type { ContentDeploy, DeployLock, Draft } from '@pressroom/api/contract';
import { shownCommit } from '../bundles/commit.ts';
import type { BundleRow } from '../bundles/store.ts';
import { toTimestamp } from '../platform/clock.ts';
import type { TaskRow } from '../tasks/store.ts';
import type { NamedDraft } from './drafts/store.ts';
import type { NamedDeployLock } from './lock/store.ts';

export function presentDeployLock({
  reason,
  until,
  user_guid,
  username,
  created_time,
}: NamedDeployLock): DeployLock {
  return {
    reason,
    until: until === null ? null : toTimestamp(until),
    user_guid,
    username,
    created_time: toTimestamp(created_time),
  };
}

/** @param contentBase base of content addresses, without a trailing slash */
export function presentDraft(draft: NamedDraft, contentBase: string): Draft {
  const { bundle_id, content_guid, name, task_id, user_guid, username } = draft;
  return {
    bundle_id: String(bundle_id),
    preview: name,
    url: `${contentBase}/content/${content_guid}/${draftPath(draft)}`,
    task_id,
    user_guid,
    username,
    created_time: toTimestamp(draft.created_time),
    expires_time: toTimestamp(draft.expires_time),
  };
}

/** Relative to the address of the content. */
export function draftPath({ bundle_id, name }: Pick<NamedDraft, 'bundle_id' | 'name'>): string {
  return name === null ? `_bundle${bundle_id}/` : `_preview/${name}/`;
}

/** Newest first, at most `limit`. @param active the active bundle */
export function presentDeploys(
  tasks: readonly TaskRow[],
  bundles: readonly Pick<BundleRow, 'id' | 'source' | 'deployed_time'>[],
  active: number | null,
  limit: number,
): ContentDeploy[] {
  const commits = new Map(bundles.map(({ id, source }) => [id, shownCommit(source)]));
  const live = new Set(bundles.flatMap(({ id, deployed_time }) => (deployed_time === null ? [] : [id])));
  const kept = tasks.filter(({ kind, bundle_id }) => kind === 'deploy' && bundle_id !== null);
  const known = new Set(
    kept.filter(({ finished, code }) => finished && code === 0).map((task) => task.bundle_id),
  );
  const all = [
    ...kept.map((task) => ({
      time: task.created_time,
      deploy: {
        ...ofTask(task, active),
        was_live: live.has(task.bundle_id!),
        commit: commits.get(task.bundle_id!) ?? null,
      },
    })),
    ...bundles.flatMap(({ id, deployed_time: time }) =>
      time === null || known.has(id)
        ? []
        : [{ time, deploy: { ...ofBundle(id, time, active), commit: commits.get(id) ?? null } }],
    ),
  ];
  return all
    .toSorted((a, b) => b.time - a.time)
    .slice(0, limit)
    .map(({ deploy }) => deploy);
}

function ofTask(task: TaskRow, active: number | null): Omit<ContentDeploy, 'was_live' | 'commit'> {
  const { id, bundle_id, user_guid, created_time, finished_time, finished, code, error, end_reason } = task;
  return {
    task_id: id,
    bundle_id: String(bundle_id),
    user_guid,
    started_time: toTimestamp(created_time),
    finished_time: finished_time === null ? null : toTimestamp(finished_time),
    state: !finished ? 'running' : code === 0 ? 'succeeded' : 'failed',
    error,
    end_reason,
    active: bundle_id === active,
  };
}

function ofBundle(id: number, time: number, active: number | null): Omit<ContentDeploy, 'commit'> {
  return {
    task_id: null,
    bundle_id: String(id),
    user_guid: null,
    started_time: toTimestamp(time),
    finished_time: toTimestamp(time),
    state: 'succeeded',
    error: '',
    end_reason: null,
    active: id === active,
    was_live: true,
  };
}
