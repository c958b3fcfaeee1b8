// Deploys and renders: each returns its task (contract, 4.3).
import { errors } from '@pressroom/api/contract';
import { listBundles } from '../bundles/store.ts';
import { contentBaseOf } from '../content/address.ts';
import { loadContent } from '../content/commands.ts';
import { startRepositoryDeploy, type GitParts } from '../git/deploy-commit.ts';
import { sameInBothForms } from '../http/both-forms.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { recentTasks } from '../tasks/store.ts';
import { discardDraft, draftsOf } from './drafts/drafts.ts';
import { lockDeploys, readDeployLock, unlockDeploys } from './lock/deploy-lock.ts';
import { presentDeployLock, presentDeploys, presentDraft } from './present.ts';
import { startDeploy, startRender, type DeployRequest } from './start-deploy.ts';

interface Parts extends GitParts {
  readonly contentChanged: (guid: string) => void;
}

export const deploysRoutes = {
  ...sameInBothForms('deployContentBundle', deployContentBundle),
  buildContent,
  deleteDeployLock,
  deleteDraft,
  deployApplication,
  getContentDeploys,
  getDeployLock,
  getDraft,
  getDrafts,
  renderContent,
  setDeployLock,
};

/** Starts a deploy, which builds the environment that the bundle needs. */
async function buildContent(
  parts: Parts,
  { params, body, caller }: ApiRequest<'buildContent'>,
): Promise<ApiResponse<'buildContent'>> {
  return { task_id: await start(parts, caller, params.guid, readDeploy(body)) };
}

/** Starts a deploy, for older clients. */
async function deployApplication(
  parts: Parts,
  { params, body, caller }: ApiRequest<'deployApplication'>,
): Promise<ApiResponse<'deployApplication'>> {
  const chosen = String(body.bundle ?? '');
  const id = await start(parts, caller, params.guid, {
    ...readDeploy(body),
    bundle_id: chosen === '' ? null : chosen,
  });
  return { id, task_id: id };
}

/** Starts a deploy (contract, 4.3). */
async function deployContentBundle(
  parts: Parts,
  { params, body, caller }: ApiRequest<'deployContentBundle'> | ApiRequest<'deployContentBundleGa'>,
): Promise<ApiResponse<'deployContentBundle'>> {
  return { task_id: await start(parts, caller, params.guid, readDeploy(body)) };
}

/** Content of a repository gets the newest commit if no bundle is given. */
function start(parts: GitParts, caller: Caller, guid: string, deploy: DeployRequest): Promise<string> {
  const isPlain = deploy.bundle_id === null && deploy.activate && deploy.preview === null && !deploy.canary;
  const newestCommit = () => startRepositoryDeploy(parts, caller, guid);
  return startDeploy(parts, caller, guid, deploy, isPlain ? newestCommit : null);
}

/** The options of a deploy request; the contract's form always activates. */
function readDeploy(body: {
  bundle_id?: string | null;
  activate?: boolean | null;
  preview?: string | null;
  canary?: { share: number; length?: number } | null;
  draft_task_id?: string | null;
}): DeployRequest {
  const { bundle_id = null, activate, preview = null, canary = null, draft_task_id = null } = body;
  return { bundle_id, activate: activate !== false, preview, canary, draftTask: draft_task_id };
}

/** Maximum listed deploys. */
const LISTED = 200;

/** Lists deploys with their outcomes. */
async function getContentDeploys(
  { storage: { db } }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getContentDeploys'>,
): Promise<ApiResponse<'getContentDeploys'>> {
  const { content } = await loadContent(db, params.guid, caller, 'readJobs');
  const [tasks, { rows: bundles }] = await Promise.all([
    recentTasks(db, content.guid, LISTED),
    listBundles(db, content.guid),
  ]);
  return presentDeploys(tasks, bundles, content.bundle_id, LISTED);
}

/** Lists drafts. */
async function getDrafts(
  parts: Pick<Parts, 'storage' | 'clock' | 'config'>,
  { params, caller, base }: ApiRequest<'getDrafts'>,
): Promise<ApiResponse<'getDrafts'>> {
  const { drafts } = await draftsOf(parts, caller, params.guid);
  return drafts.map((draft) => presentDraft(draft, contentBaseOf(parts.config, base)));
}

/** Reads one draft. */
async function getDraft(
  parts: Pick<Parts, 'storage' | 'clock' | 'config'>,
  { params, caller, base }: ApiRequest<'getDraft'>,
): Promise<ApiResponse<'getDraft'>> {
  const { drafts } = await draftsOf(parts, caller, params.guid);
  const draft = drafts.find(({ bundle_id }) => bundle_id === Number(params.id));
  if (!draft) throw errors.notFound({ message: `bundle ${params.id} is no draft of this content` });
  return presentDraft(draft, contentBaseOf(parts.config, base));
}

/** Discards a draft. */
async function deleteDraft(
  parts: Pick<Parts, 'config' | 'storage' | 'audit' | 'clock' | 'deploys' | 'contentChanged'>,
  { params, query, caller }: ApiRequest<'deleteDraft'>,
): Promise<ApiResponse<'deleteDraft'>> {
  await discardDraft(parts, caller, params.guid, params.id, query.task_id);
}

/** Reads why and until when deploys are locked. */
async function getDeployLock(
  parts: Pick<Parts, 'storage' | 'clock'>,
  { params, caller }: ApiRequest<'getDeployLock'>,
): Promise<ApiResponse<'getDeployLock'>> {
  return presentDeployLock(await readDeployLock(parts, caller, params.guid));
}

/** Locks deploys. */
async function setDeployLock(
  parts: Pick<Parts, 'storage' | 'clock' | 'audit'>,
  { params, body, caller }: ApiRequest<'setDeployLock'>,
): Promise<ApiResponse<'setDeployLock'>> {
  const until = body.until == null ? null : Date.parse(body.until) * 1000;
  return presentDeployLock(await lockDeploys(parts, caller, params.guid, { reason: body.reason, until }));
}

/** Allows deploys again. */
async function deleteDeployLock(
  parts: Pick<Parts, 'storage' | 'audit'>,
  { params, caller }: ApiRequest<'deleteDeployLock'>,
): Promise<ApiResponse<'deleteDeployLock'>> {
  await unlockDeploys(parts, caller, params.guid);
}

/** Renders a document again. */
async function renderContent(
  parts: Pick<Parts, 'storage' | 'audit' | 'tasks' | 'deploys'>,
  { params, caller }: ApiRequest<'renderContent'>,
): Promise<ApiResponse<'renderContent'>> {
  return { task_id: await startRender(parts, caller, params.guid) };
}
