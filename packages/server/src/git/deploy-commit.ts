// Deploys the newest commit: one task that fetches it, builds the bundle and continues like other deploys.
import { ApiError, errors } from '@pressroom/api/contract';
import { appModeOf } from '../bundles/archive/index.ts';
import { enforceRetention, uploadBundle } from '../bundles/commands.ts';
import { storedCommit, type Commit } from '../bundles/commit.ts';
import { bundlesSince, findBundle, newestBundle, type BundleRow } from '../bundles/store.ts';
import { storedManifest } from '../bundles/stored-manifest.ts';
import { loadContent } from '../content/commands.ts';
import { checkImmutable } from '../content/rules.ts';
import { aboutContent } from '../content/store.ts';
import { askForRelease, notApproved, standingOf } from '../deploys/approvals/approvals.ts';
import { findRelease } from '../deploys/approvals/store.ts';
import { findDeployLock } from '../deploys/lock/store.ts';
import type { OldVersions } from '../deploys/sites/old-versions.ts';
import { lockedText, type StartParts } from '../deploys/start-deploy.ts';
import { findUser } from '../people/store.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import type { Executor } from '../platform/database/storage.ts';
import { diskRefusal } from '../platform/disk-refusal.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { actorOf } from '../sign-in/visit.ts';
import { MAX_INTERRUPTIONS } from '../tasks/interruptions.ts';
import type { TaskContext } from '../tasks/run-task.ts';
import { openTasksOf, recentTasks, setTaskBundle, type TaskRow } from '../tasks/store.ts';
import type { Git } from './git.ts';
import { requireGit } from './require-git.ts';
import { findRepository, noteFetch, type RepositoryRow } from './store.ts';

export interface GitParts extends StartParts {
  readonly git: Git;
  readonly blobs: BlobStore;
  readonly oldVersions: OldVersions;
}

interface DeployOptions {
  /** Also deploys a commit that is live already. */
  readonly force?: boolean;
  /** A commit to leave alone: polling may find the last one again after a failure, and somebody may have rolled it back. */
  readonly tried?: string | null;
}

/** The length that Git uses for abbreviated SHAs shown to people. */
export const short = (sha: string) => sha.slice(0, 10);

/** @throws ApiError 22 while deploys are locked, 143 without a repository, 145 */
export async function startRepositoryDeploy(
  parts: GitParts,
  caller: Caller,
  guid: string,
  options: Pick<DeployOptions, 'force'> = {},
): Promise<string> {
  const task = await parts.storage.write(
    (tx) => createRepositoryDeploy(parts, tx, caller, guid),
    aboutContent(guid),
  );
  runRepositoryDeploy(parts, task, caller, options);
  return task.id;
}

export interface RepositoryTask {
  readonly id: string;
  readonly guid: string;
}

/** `runRepositoryDeploy` runs it after the commit. */
export async function createRepositoryDeploy(
  { config, clock, tasks, audit }: GitParts,
  tx: Executor,
  caller: Caller,
  guid: string,
): Promise<RepositoryTask> {
  const { content } = await loadContent(tx, guid, caller, 'deployContent');
  const repository = await findRepository(tx, content.guid);
  if (!repository) throw errors.notManagedByGit();
  requireGit(config);
  const lock = await findDeployLock(tx, content.guid, clock.now());
  if (lock) throw errors.operationDenied({ message: lockedText(lock) });
  const subject = {
    kind: 'deploy',
    content_guid: content.guid,
    bundle_id: null,
    user_guid: caller.guid,
  } as const;
  const id = await tasks.create(tx, subject);
  const description = `Deploying branch ${repository.branch} of ${repository.url} to content ${content.name} (${content.guid}), task ${id}`;
  await audit(tx, caller, 'deploy_application', description, { content: content.guid, task: id });
  return { id, guid: content.guid };
}

export function runRepositoryDeploy(
  parts: GitParts,
  { id, guid }: RepositoryTask,
  caller: Caller,
  options: DeployOptions = {},
): void {
  void parts.deploys.runObtained(id, guid, (context) =>
    obtainBundle(parts, caller, guid, id, options, context),
  );
}

/** Null if the newest commit is live already, or was tried. */
async function obtainBundle(
  parts: GitParts,
  caller: Caller,
  guid: string,
  taskId: string,
  { force = false, tried = null }: DeployOptions,
  context: TaskContext,
): Promise<BundleRow | null> {
  const { storage, git, clock } = parts;
  const row = await findRepository(storage.db, guid);
  if (!row) throw errors.notManagedByGit();
  const secrets = git.secretsOf(row);
  context.hide(secrets);
  context.log(`Fetching branch ${row.branch} of ${row.url}`);
  const note = (set: Partial<Pick<RepositoryRow, 'last_commit' | 'last_error' | 'fetch_error'>>) =>
    storage.write((tx) => noteFetch(tx, row, { ...set, fetched_time: clock.now() }));
  let isFetched = false;
  let isTried = false;
  try {
    const bundle = await git.withCommit(
      row,
      { print: context.log, signal: context.signal },
      async (commit, archive) => {
        context.log(`Commit ${short(commit.sha)} of ${commit.author}: ${commit.subject}`);
        // Recorded before anything can fail: polling tries each commit once.
        isFetched = true;
        await note({ last_commit: commit.sha, fetch_error: null });
        if (commit.sha === tried) {
          context.log('This commit was tried before: nothing is deployed');
          isTried = true;
          return null;
        }
        if (!force && (await isLive(storage.db, guid, commit))) {
          context.log('This commit is live already: nothing is deployed');
          return null;
        }
        const left = await interruptedBundle(storage.db, guid, taskId, commit);
        if (left !== null) {
          context.log(`An interrupted deploy has made bundle ${left.id} of this commit`);
          return left;
        }
        const source = await archive();
        return uploadBundle(parts, caller, guid, { source, commit, signal: context.signal });
      },
    );
    if (isTried) return null;
    await note({ last_error: null });
    if (bundle === null) return null;
    try {
      await admit(parts, caller, bundle, taskId);
    } finally {
      // Also if it is refused: each commit leaves a bundle.
      await enforceRetention(parts, { guid }, caller);
    }
    return bundle;
  } catch (error) {
    const known = error instanceof ApiError ? error : diskRefusal(error);
    const message = known?.message ?? 'Internal failure';
    await note(isFetched ? { last_error: message } : { fetch_error: message }).catch(() => undefined);
    throw error;
  }
}

/** The bundle that this task, or interrupted ones right before it, had stored. Older ones were made by other versions. */
async function interruptedBundle(
  db: Executor,
  guid: string,
  taskId: string,
  commit: Commit,
): Promise<BundleRow | null> {
  const tasks = await recentTasks(db, guid, 1 + MAX_INTERRUPTIONS, ['deploy']);
  const other = tasks.findIndex(({ id, end_reason }) => id !== taskId && end_reason !== 'interrupted');
  const first = tasks.slice(0, other === -1 ? undefined : other).at(-1);
  if (!first) return null;
  for (const bundle of await bundlesSince(db, guid, first.created_time)) {
    if (bundle.deployed_time !== null || !isOf(bundle, commit)) continue;
    if (!(await findRelease(db, bundle.id))) return bundle;
  }
  return null;
}

async function isLive(db: Executor, guid: string, wanted: Commit): Promise<boolean> {
  const content = await db
    .selectFrom('content')
    .select('bundle_id')
    .where('guid', '=', guid)
    .executeTakeFirst();
  const active = content?.bundle_id == null ? undefined : await findBundle(db, content.bundle_id);
  return active !== undefined && isOf(active, wanted);
}

/**
 * The tree of a directory that the newest bundle was made from, if that was live or waits for approval: a commit with
 * the same tree changes nothing. Null for a whole repository: whoever commits nothing there wants a deploy.
 */
export async function takenTree(
  db: Executor,
  { content_guid: guid, url, directory }: RepositoryRow,
): Promise<string | null> {
  const newest = directory === '.' ? undefined : await newestBundle(db, guid);
  const commit = storedCommit(newest?.source ?? null);
  if (newest === undefined || commit?.repository !== url || commit.directory !== directory) return null;
  const isTaken = newest.deployed_time !== null || (await findRelease(db, newest.id)) !== undefined;
  return isTaken ? (commit.tree ?? null) : null;
}

function isOf({ source }: BundleRow, { sha, repository, directory }: Commit): boolean {
  const commit = storedCommit(source);
  return commit?.sha === sha && commit.repository === repository && commit.directory === directory;
}

/** The conditions of any deploy. @throws ApiError 22, and those of checkImmutable */
async function admit(parts: GitParts, caller: Caller, bundle: BundleRow, taskId: string): Promise<void> {
  const { storage, clock } = parts;
  const refusal = await storage.write(async (tx) => {
    const { content } = await loadContent(tx, bundle.content_guid, caller, 'deployContent');
    const lock = await findDeployLock(tx, content.guid, clock.now());
    if (lock) throw errors.operationDenied({ message: lockedText(lock) });
    const { appmode, ...manifest } = storedManifest(bundle.manifest);
    checkImmutable(content, { ...manifest, app_mode: appModeOf(appmode) });
    const standing = await standingOf(tx, content, bundle);
    // From here on another server can take over: only if it may go live.
    if (standing.mayGoLive) return (await setTaskBundle(tx, taskId, bundle.id), null);
    await askForRelease(tx, parts, caller, content, bundle);
    return notApproved(bundle, standing);
  }, aboutContent(bundle.content_guid));
  if (refusal) throw refusal;
}

/** The person who connected the repository, with current rights. @throws ApiError 22 if deleted or locked */
export async function callerOf(
  db: Executor,
  { user_guid }: Pick<RepositoryRow, 'user_guid'>,
): Promise<Caller> {
  const user = await findUser(db, user_guid);
  if (!user || user.locked === 1)
    throw errors.operationDenied({ message: 'who connected the repository no longer has an account' });
  return {
    ...actorOf(user),
    role: user.user_role,
    by: 'key',
    content_guid: null,
  };
}

/** Restarts a task whose server was lost before it had a bundle. False for any other. */
export async function resumeRepositoryDeploy(parts: GitParts, task: TaskRow): Promise<boolean> {
  const { id, kind, content_guid: guid, bundle_id, user_guid } = task;
  const { db } = parts.storage;
  if (kind !== 'deploy' || bundle_id !== null || guid === null || user_guid === null) return false;
  if (!(await findRepository(db, guid))) return false;
  const user = await findUser(db, user_guid);
  if (!user || user.locked === 1) return false;
  runRepositoryDeploy(parts, { id, guid }, await callerOf(db, { user_guid }));
  return true;
}

/** Whether a deploy is running on any server. */
export async function isDeploying(db: Executor, guid: string): Promise<boolean> {
  return (await openTasksOf(db, guid)).some(({ kind }) => kind === 'deploy');
}
