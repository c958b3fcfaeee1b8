// What changes a content item: creation, update, deletion, deploy.
import {
  ApiError,
  type ContentChanges,
  type ContentChangesGa,
  errors,
  type NewContentGa,
} from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { appModeOf } from '../bundles/archive/index.ts';
import { findBundle, listBundles, newestBundle, type BundleRow } from '../bundles/store.ts';
import { storedManifest } from '../bundles/stored-manifest.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import { askForRelease, notApproved, standingOf } from '../deploys/approvals.ts';
import { requireInactive } from '../deploys/keep-draft.ts';
import { findDeployLock, type NamedDeployLock } from '../deploys/store.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Config } from '../main/config/settings.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import { toTimestamp, type Clock, type Ids } from '../platform/clock.ts';
import { isUniqueViolation, type Executor, type Storage } from '../platform/database/storage.ts';
import type { Authenticator, Caller } from '../sign-in/authenticator.ts';
import { openTasksOf } from '../tasks/store.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { requireKeptRights } from './content-key-rights.ts';
import { changeOwner } from './ownership.ts';
import { contentRole, requireContentRight, type ContentAction, type ContentRole } from './policy.ts';
import { contentChanges } from './rules.ts';
import {
  aboutContent,
  findContent,
  findGrantedRole,
  insertContent,
  removeContent,
  updateContentRow,
  type ContentRow,
} from './store.ts';

interface Parts {
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
}

export interface Found {
  readonly content: ContentRow;
  readonly role: ContentRole;
}

/** @throws ApiError 4 when there is no such content, else as the policy of the action says. */
export async function loadContent(
  db: Executor,
  guid: string,
  caller: Caller,
  action: ContentAction,
): Promise<Found> {
  const content = await findContent(db, guid);
  if (!content) throw errors.notFound();
  const granted =
    content.owner_guid === caller.guid ? null : await findGrantedRole(db, content.guid, caller.guid);
  const role = contentRole(content, caller, granted);
  requireContentRight(action, role, caller);
  return { content, role: role ?? 'none' };
}

/** @throws ApiError 26 when the owner has content of that name, and those of contentChanges. */
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
  const found = await named(() =>
    storage.write(async (tx): Promise<Found> => {
      const { content, role } = await loadContent(tx, guid, caller, 'updateContent');
      requireKeptRights(caller, content, body);
      // What a client read before the first deploy and sends back attempts nothing.
      if (body.app_mode !== 'unknown') checkImmutable(content, body);
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
      return owner ? await loadContent(tx, guid, caller, 'getContent') : { content: after, role };
    }),
  );
  if (before !== null) authenticator.forget(before);
  contentChanged(found.content.guid);
  return found;
}

/** Removes the rows, then what is on disk; the start-up sweep finishes what a crash leaves in between. */
export async function deleteContent(
  parts: Pick<Parts, 'storage' | 'audit' | 'blobs' | 'tasks' | 'deploys' | 'jobs' | 'contentChanged'>,
  caller: Caller,
  guid: string,
): Promise<void> {
  const { storage, audit, tasks, blobs, deploys, jobs, contentChanged } = parts;
  const { content, bundles, open } = await storage.write(async (tx) => {
    const found = await loadContent(tx, guid, caller, 'deleteContent');
    const { rows } = await listBundles(tx, found.content.guid);
    const openTasks = await openTasksOf(tx, found.content.guid);
    await removeContent(tx, found.content.guid);
    const description = `Deleted content ${found.content.name} (${found.content.guid})`;
    await audit(tx, caller, 'remove_application', description, { content: found.content.guid });
    return { content: found.content, bundles: rows, open: openTasks };
  });
  contentChanged(content.guid);
  for (const task of open) await tasks.cancel(task.id);
  await deploys.removeSite(content.guid);
  await jobs.removeLogs(content.guid);
  for (const bundle of bundles) await blobs.remove(bundle);
}

export interface DeployWish {
  readonly bundle_id: string | null;
  /** False: a draft is made, and what is active stays. */
  readonly activate: boolean;
  /** The preview whose address the draft gets. */
  readonly preview: string | null;
}

/**
 * Starts a deploy: of the named bundle, else the active one, else the newest (interop.md); a draft is of the newest
 * where none is named. A lock on deploys holds for what goes live only.
 * @throws ApiError 22 while deploys are locked, and where the rule of the content asks for more approvals, 25 for a preview that is to be active, 28, 39 for a draft of what is
 * active, 48, 82, 110, 111, 142, 145
 */
export async function startDeploy(
  parts: Pick<Parts, 'config' | 'storage' | 'clock' | 'audit' | 'tasks' | 'deploys'>,
  caller: Caller,
  guid: string,
  { bundle_id: bundleId, activate, preview }: DeployWish,
): Promise<string> {
  const { storage, clock, tasks, deploys, audit, config } = parts;
  if (activate && preview !== null)
    throw errors.invalidParameter({ message: 'a preview is a draft: it requires activate to be false' });
  if (activate && caller.pipeline?.draftsOnly === true)
    throw errors.operationDenied({ message: 'this pipeline deploys drafts and previews only' });
  const kind = activate ? 'deploy' : 'draft';
  const started = await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'deployContent');
    if (content.git_managed && !config['Applications.GitEnabled']) throw errors.gitDisabled();
    const lock = activate && (await findDeployLock(tx, content.guid, clock.now()));
    if (lock) throw errors.operationDenied({ message: lockedText(lock) });
    const chosen = await chooseBundle(tx, activate ? content : { ...content, bundle_id: null }, bundleId);
    if (!activate) requireInactive(content, chosen.id);
    const { appmode, ...manifest } = storedManifest(chosen.manifest);
    checkImmutable(content, { ...manifest, app_mode: appModeOf(appmode) });
    if (activate) {
      const standing = await standingOf(tx, content, chosen);
      if (!standing.mayGoLive) {
        await askForRelease(tx, parts, caller, content, chosen);
        return notApproved(chosen, standing);
      }
    }
    const subject = {
      kind,
      content_guid: content.guid,
      bundle_id: chosen.id,
      user_guid: caller.guid,
    } as const;
    const taskId = await tasks.create(tx, subject);
    const what = activate ? '' : preview === null ? ' as a draft' : ` as preview ${preview}`;
    const description = `Deploying bundle ${chosen.id} of content ${content.name} (${content.guid})${what}, task ${taskId}`;
    await audit(tx, caller, activate ? 'deploy_application' : 'deploy_draft', description, {
      content: content.guid,
      bundle: chosen.id,
      task: taskId,
    });
    return { id: taskId, bundle: chosen };
  }, aboutContent(guid));
  // What asks for approvals stands, though the deploy is refused.
  if (started instanceof ApiError) throw started;
  void deploys.run(started.id, started.bundle, kind, preview);
  return started.id;
}

function lockedText({ reason, until, username }: NamedDeployLock): string {
  const end = until === null ? '' : ` until ${toTimestamp(until)}`;
  return `${username ?? 'A deleted user'} locked deploys of this content${end}: ${reason}`;
}

async function chooseBundle(tx: Executor, content: ContentRow, bundleId: string | null): Promise<BundleRow> {
  if (bundleId !== null) {
    const bundle = await findBundle(tx, Number(bundleId));
    if (!bundle) throw errors.notFound({ message: `there is no bundle ${bundleId}` });
    if (bundle.content_guid !== content.guid) throw errors.bundleOfOtherContent();
    return bundle;
  }
  const bundle =
    content.bundle_id === null
      ? await newestBundle(tx, content.guid)
      : await findBundle(tx, content.bundle_id);
  if (!bundle) throw errors.noBundleToDeploy();
  return bundle;
}

/** Renders the active bundle again. @throws ApiError 28 without one, 39 for what is not rendered. */
export async function startRender(
  parts: Pick<Parts, 'storage' | 'audit' | 'tasks' | 'deploys'>,
  caller: Caller,
  guid: string,
): Promise<string> {
  const { storage, audit } = parts;
  const { id, bundle } = await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'renderContent');
    const created = await createRender(parts, tx, content, caller.guid);
    const description = `Rendering content ${content.name} (${content.guid}), task ${created.id}`;
    await audit(tx, caller, 'render_application', description, {
      content: content.guid,
      bundle: created.bundle.id,
      task: created.id,
    });
    return created;
  }, aboutContent(guid));
  void parts.deploys.run(id, bundle, 'render');
  return id;
}

/** Makes the task that renders the active bundle; `DeployService.run` does its work once that is committed. */
export async function createRender(
  { tasks }: Pick<Parts, 'tasks'>,
  tx: Executor,
  content: ContentRow,
  userGuid: string,
  { mails = false } = {},
): Promise<{ id: string; bundle: BundleRow }> {
  const bundle = content.bundle_id === null ? undefined : await findBundle(tx, content.bundle_id);
  if (!bundle) throw errors.noBundleToDeploy();
  requireDocument(content);
  const subject = {
    kind: 'render',
    content_guid: content.guid,
    bundle_id: bundle.id,
    user_guid: userGuid,
    ...(mails && { mails: 1 as const }),
  } as const;
  return { id: await tasks.create(tx, subject), bundle };
}

/** @throws ApiError 39 */
export function requireDocument({ rendering_id }: ContentRow): void {
  if (rendering_id === null) throw errors.actionNotSupported({ message: 'only documents can be rendered' });
}

type Kind = Pick<ContentChanges, 'app_mode' | 'content_category' | 'has_parameters'>;

/** What a content item is stays as its first deploy made it (contract, section 3). */
function checkImmutable(content: ContentRow, wanted: Kind): void {
  if (content.app_mode === 'unknown') return;
  const { app_mode, content_category, has_parameters } = wanted;
  if ((app_mode ?? content.app_mode) !== content.app_mode) throw errors.contentTypeFixed();
  if ((content_category ?? content.content_category) !== content.content_category)
    throw errors.contentCategoryFixed();
  const parameters = content.has_parameters === 1;
  if ((has_parameters ?? parameters) !== parameters) throw errors.parametersFixed();
}

async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw errors.nameTaken({ cause: error });
    throw error;
  }
}
