// Repository operations of the API.
import { errors, type Repository } from '@pressroom/api/contract';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import { toTimestamp } from '../platform/clock.ts';
import { repositoryContext } from '../platform/secrets/sealed-contexts.ts';
import type { Throttle } from '../sign-in/throttle.ts';
import {
  changeRepository,
  connectRepository,
  disconnectRepository,
  readRepository,
  renewSecret,
  type Parts,
} from './commands.ts';
import { startRepositoryDeploy, type GitParts } from './deploy-commit.ts';
import { fingerprintOf } from './deploy-key.ts';
import { keysOf } from './host-keys.ts';
import { findRepository, updateRepositoryRow, type RepositoryRow } from './store.ts';
import { readPush } from './webhook.ts';

export const gitRoutes = {
  deleteRepository,
  deployRepository,
  getRepository,
  pushRepository,
  renewRepositorySecret,
  setRepository,
  updateRepository,
};

async function getRepository(
  parts: Pick<Parts, 'storage'>,
  { params, caller, base }: ApiRequest<'getRepository'>,
): Promise<ApiResponse<'getRepository'>> {
  return present(await readRepository(parts, caller, params.guid), base);
}

async function setRepository(
  parts: Parts,
  { params, body, caller, base }: ApiRequest<'setRepository'>,
): Promise<ApiResponse<'setRepository'>> {
  const { row, secret } = await connectRepository(parts, caller, params.guid, body);
  return { ...present(row, base), webhook_secret: secret };
}

async function updateRepository(
  parts: Parts,
  { params, body, caller, base }: ApiRequest<'updateRepository'>,
): Promise<ApiResponse<'updateRepository'>> {
  return present(await changeRepository(parts, caller, params.guid, body), base);
}

async function deleteRepository(
  parts: Parts,
  { params, caller }: ApiRequest<'deleteRepository'>,
): Promise<ApiResponse<'deleteRepository'>> {
  await disconnectRepository(parts, caller, params.guid);
}

/** Deploys the newest commit. */
async function deployRepository(
  parts: GitParts,
  { params, body, caller }: ApiRequest<'deployRepository'>,
): Promise<ApiResponse<'deployRepository'>> {
  return { task_id: await startRepositoryDeploy(parts, caller, params.guid, body) };
}

/** Generates a new webhook secret. */
async function renewRepositorySecret(
  parts: Parts,
  { params, caller, base }: ApiRequest<'renewRepositorySecret'>,
): Promise<ApiResponse<'renewRepositorySecret'>> {
  const { row, secret } = await renewSecret(parts, caller, params.guid);
  return { ...present(row, base), webhook_secret: secret };
}

/**
 * A push only triggers a check, so replaying it is harmless. Content without a repository answers like a wrong
 * signature. @throws ApiError 24, 30 if too many wait, 87
 */
async function pushRepository(
  { storage, clock, secrets, throttle, polling }: Parts & PushParts,
  { params, raw, visitor }: ApiRequest<'pushRepository'>,
): Promise<ApiResponse<'pushRepository'>> {
  const guid = params.guid.toLowerCase();
  const row = await findRepository(storage.db, guid);
  const secret = row ? secrets.decrypt(row.secret, repositoryContext(guid, 'secret')) : null;
  const isAuthentic = await readPush(raw, secret);
  const attempt = { username: `push ${guid}`, address: visitor, device: null };
  await throttle.attempt(attempt, async () => {
    if (!isAuthentic)
      throw errors.authenticationRequired({ message: 'the signature of the webhook is not valid' });
  });
  await storage.write((tx) => updateRepositoryRow(tx, guid, { look_time: clock.now() }));
  polling.pollSoon();
}

interface PushParts {
  readonly throttle: Throttle;
  readonly polling: { pollSoon(): void };
}

function present(row: RepositoryRow, base: string): Repository {
  return {
    repository: row.url,
    branch: row.branch,
    directory: row.directory,
    polling: row.polling === 1,
    username: row.username,
    has_token: row.token !== null,
    public_key: row.public_key,
    host_keys: keysOf(row.host_keys).map(fingerprintOf),
    offered_host_keys: keysOf(row.offered_keys).map(fingerprintOf),
    connected_by: row.user_guid,
    webhook_url: `${base}/__api__/v1/content/${row.content_guid}/repository/push`,
    last_error: row.fetch_error ?? row.last_error,
    last_known_commit: row.last_commit,
    last_fetched_time: row.fetched_time === null ? null : toTimestamp(row.fetched_time),
  };
}
