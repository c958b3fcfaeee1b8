// Commands on content items: create, update, delete.
import {
  type ContentChanges,
  type ContentChangesGa,
  errors,
  type NewContentGa,
} from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { Audit } from '../audit/record.ts';
import { listBundles } from '../bundles/store.ts';
import { recordWithdrawn } from '../deploys/approvals/approvals.ts';
import { pendingReleases } from '../deploys/approvals/store.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import { listDrafts } from '../deploys/drafts/store.ts';
import { recordContentEvent } from '../events/content-event.ts';
import { recordReleaseEvent } from '../events/release-event.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Config } from '../main/config/settings.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import { isUniqueViolation, type Executor, type Storage } from '../platform/database/storage.ts';
import type { Authenticator, Caller } from '../sign-in/authenticator.ts';
import { openTasksOf } from '../tasks/store.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { requireKeptRights } from './content-key-rights.ts';
import { changeOwner } from './ownership.ts';
import { contentRole, requireContentRight, type ContentAction, type ContentRole } from './policy.ts';
import { checkImmutable, contentChanges } from './rules.ts';
import {
  aboutContent,
  findContent,
  findGrantedRole,
  insertContent,
  removeContent,
  updateContentRow,
  type ContentRow,
} from './store.ts';

export interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Audit;
  readonly authenticator: Authenticator;
  readonly blobs: BlobStore;
  readonly tasks: TaskService;
  readonly deploys: DeployService;
  readonly jobs: Jobs;
  readonly contentChanged: (guid: string) => void;
  readonly log: Logger;
}

export interface Found {
  readonly content: ContentRow;
  readonly role: ContentRole;
}

/** @throws ApiError 4 if there is no such content, else as the policy of the action says. */
export async function loadContent(
  db: Executor,
  guid: string,
  caller: Caller,
  action: ContentAction,
): Promise<Found> {
  return requireRight(db, await findContent(db, guid), caller, action);
}

/** The same for content that was read already. */
export async function requireRight<Content extends ContentRow>(
  db: Executor,
  content: Content | undefined,
  caller: Caller,
  action: ContentAction,
): Promise<{ readonly content: Content; readonly role: ContentRole }> {
  if (!content) throw errors.notFound();
  const granted =
    content.owner_guid === caller.guid ? null : await findGrantedRole(db, content.guid, caller.guid);
  const role = contentRole(content, caller, granted);
  requireContentRight(action, role, caller);
  return { content, role: role ?? 'none' };
}

/** @throws ApiError 26 if the owner has content of that name, and those of contentChanges. */
export async function createContent(
  parts: Pick<Parts, 'config' | 'storage' | 'clock' | 'ids' | 'audit'>,
  caller: Caller,
  body: NewContentGa,
): Promise<Found> {
  const { storage, clock, ids, config, audit } = parts;
  const changes = contentChanges(body, null, { config, administrator: caller.role === 'administrator' });
  const guid = ids.uuid();
  const row: ContentRow = {
    guid,
    name: `content-${guid.slice(0, 8)}`,
    title: null,
    description: '',
    access_type: 'acl',
    owner_guid: caller.guid,
    app_mode: 'unknown',
    kind: null,
    content_category: '',
    has_parameters: 0,
    bundle_id: null,
    site: null,
    launch: null,
    rendering_id: null,
    restored: null,
    variant_key: null,
    visitor_role: null,
    visitor_role_time: null,
    r_version: null,
    py_version: null,
    connection_timeout: null,
    read_timeout: null,
    init_timeout: null,
    idle_timeout: null,
    max_processes: null,
    min_processes: null,
    max_conns_per_process: null,
    load_factor: null,
    run_as: null,
    git_managed: 0,
    locked: 0,
    locked_message: '',
    hide_bar: 0,
    visitors_may_render: 0,
    created_time: clock.now(),
    last_deployed_time: null,
    ...changes,
  };
  await named(() =>
    storage.write(async (tx) => {
      await insertContent(tx, row);
      await audit(tx, caller, 'add_application', `Created content ${row.name} (${row.guid})`, {
        content: row.guid,
      });
    }, aboutContent(guid)),
  );
  return { content: row, role: 'owner' };
}

/** @throws ApiError 9, 26, 48, 66, 110, 111, and those of contentChanges. */
export async function updateContent(
  parts: Pick<Parts, 'config' | 'storage' | 'audit' | 'authenticator' | 'contentChanged'>,
  caller: Caller,
  guid: string,
  body: Omit<ContentChanges, 'name'> & ContentChangesGa,
) {
  const { storage, config, audit, authenticator, contentChanged } = parts;
  let before: string | null = null;
  let isTaken = false;
  const found = await named(() =>
    storage.write(async (tx): Promise<Found> => {
      const { content, role } = await loadContent(tx, guid, caller, 'updateContent');
      requireKeptRights(caller, content, body);
      if (!isOfUndeployed(body)) checkImmutable(content, body);
      const owner = await changeOwner(tx, caller, content, body.owner_guid);
      before = owner && content.owner_guid;
      const changes = {
        ...contentChanges(body, content, { config, administrator: caller.role === 'administrator' }),
        ...(owner && { owner_guid: owner.guid }),
      };
      await updateContentRow(tx, content.guid, changes);
      const fields = Object.keys(changes).join(', ') || 'nothing';
      await audit(
        tx,
        caller,
        'edit_application',
        `Changed ${fields} of content ${content.name} (${content.guid})${owner ? `: its owner is ${owner.username} (${owner.guid})` : ''}`,
        { content: content.guid },
      );
      const after = { ...content, ...changes };
      isTaken = isForAll(content) && !isForAll(after);
      return owner ? await loadContent(tx, guid, caller, 'getContent') : { content: after, role };
    }),
  );
  if (before !== null) authenticator.forget(before);
  contentChanged(found.content.guid);
  if (isTaken) await storage.seenByAll();
  return found;
}

/** What clients read before the first deploy, and may send back after it: that is no change. */
function isOfUndeployed({
  app_mode,
  content_category,
  has_parameters,
}: Omit<ContentChanges, 'name'>): boolean {
  return app_mode === 'unknown' && !content_category && !has_parameters;
}

function isForAll({ access_type, locked }: ContentRow): boolean {
  return access_type === 'all' && locked === 0;
}

/**
 * Removes the rows, then the files. The content counts as deleted after the first step: files that cannot be removed
 * now are logged, and removed by housekeeping.
 */
export async function deleteContent(parts: Omit<Parts, 'ids'>, caller: Caller, guid: string): Promise<void> {
  const { storage, audit, authenticator, tasks, blobs, deploys, jobs, contentChanged, log } = parts;
  const { content, bundles, open, holders } = await storage.write(async (tx) => {
    const found = await loadContent(tx, guid, caller, 'deleteContent');
    const { rows } = await listBundles(tx, found.content.guid);
    const openTasks = await openTasksOf(tx, found.content.guid);
    const releases = await pendingReleases(tx, found.content.guid);
    const drafts = await listDrafts(tx, found.content.guid, parts.clock.now());
    const holders = await removeContent(tx, found.content.guid);
    const about = { content_guid: found.content.guid, user_guid: caller.guid };
    const reason = { code: 'content_deleted', text: 'its content was deleted' } as const;
    for (const { bundle_id } of drafts)
      await recordReleaseEvent(tx, parts, 'draft.ended', { ...about, bundle_id, reason });
    await recordWithdrawn(tx, parts, caller, releases, reason);
    await recordContentEvent(tx, parts, 'deleted', about);
    const description = `Deleted content ${found.content.name} (${found.content.guid})`;
    await audit(tx, caller, 'remove_application', description, { content: found.content.guid });
    return { content: found.content, bundles: rows, open: openTasks, holders };
  });
  for (const user of holders) authenticator.forget(user);
  contentChanged(content.guid);
  if (isForAll(content)) await storage.seenByAll();
  const work = [
    ...open.map((task) => () => tasks.cancel(task.id)),
    () => deploys.removeSite(content.guid),
    () => jobs.removeLogs(content.guid),
    ...bundles.map((bundle) => () => blobs.remove(bundle)),
  ];
  for (const step of work)
    await step().catch((error: unknown) => log.error(error, 'removing what content %s had', guid));
}

async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw errors.nameTaken({ cause: error });
    throw error;
  }
}
