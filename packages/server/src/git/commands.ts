// Commands on repositories of content: connect, change, disconnect.
import { errors, type Repository } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { loadContent } from '../content/commands.ts';
import { aboutContent, updateContentRow, type ContentRow } from '../content/store.ts';
import type { Config } from '../main/config/settings.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { repositoryContext } from '../platform/secrets/sealed-contexts.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { branchName, directoryPath, isSameHost, isSsh, repositoryAddress, requireSecret } from './address.ts';
import { makeDeployKey, readDeployKey } from './deploy-key.ts';
import { keysOf, trustedKeys } from './host-keys.ts';
import { requireGit } from './require-git.ts';
import {
  findRepository,
  insertRepository,
  removeRepository,
  updateRepositoryRow,
  type RepositoryRow,
} from './store.ts';

export interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: Audit;
  readonly secrets: Secrets;
  readonly contentChanged: (guid: string) => void;
}

export type Wanted = Partial<
  Pick<Repository, 'repository' | 'branch' | 'directory' | 'polling' | 'username'> & {
    readonly token: string | null;
    /** Null to generate a new one. */
    readonly deploy_key: string | null;
    readonly host_keys: readonly string[];
  }
>;

/** With the webhook's secret. */
export interface Connected {
  readonly row: RepositoryRow;
  readonly secret: string;
}

const NO_SECRETS = { token: null, ssh_key: null, public_key: null };

/** @throws ApiError 4 if there is none */
export async function readRepository(
  { storage: { db } }: Pick<Parts, 'storage'>,
  caller: Caller,
  guid: string,
): Promise<RepositoryRow> {
  const { content } = await loadContent(db, guid, caller, 'readJobs');
  const row = await findRepository(db, content.guid);
  if (!row) throw errors.notFound({ message: 'this content is not managed by git' });
  return row;
}

/** @throws ApiError 25, 142, 145 */
export async function connectRepository(
  parts: Parts,
  caller: Caller,
  guid: string,
  wanted: Wanted & { readonly repository: string },
): Promise<Connected> {
  const { config, storage, clock, ids, audit, secrets, contentChanged } = parts;
  const secret = ids.secret();
  const row = await storage.write(async (tx) => {
    const content = await manageable(tx, caller, guid);
    requireGit(config);
    if (await findRepository(tx, content.guid)) throw errors.managedByGit();
    const url = repositoryAddress(wanted.repository);
    const token = sealedToken(secrets, content.guid, url, wanted.token ?? null);
    const now = clock.now();
    const made: RepositoryRow = {
      content_guid: content.guid,
      user_guid: caller.guid,
      url,
      branch: branchName(wanted.branch ?? 'main'),
      directory: directoryPath(wanted.directory ?? '.'),
      polling: wanted.polling === true ? 1 : 0,
      username: wanted.username ?? null,
      token,
      secret: secrets.encrypt(secret, repositoryContext(content.guid, 'secret')),
      last_commit: null,
      last_error: null,
      fetch_error: null,
      fetched_time: null,
      look_time: wanted.polling === true ? now : null,
      ...deployKey(secrets, content, url, wanted.deploy_key, NO_SECRETS),
      host_keys: wanted.host_keys === undefined ? null : trustedKeys(wanted.host_keys, []).join('\n'),
      offered_keys: null,
      created_time: now,
    };
    await insertRepository(tx, made);
    await updateContentRow(tx, content.guid, { git_managed: 1 });
    await audit(tx, caller, 'connect_repository', `Connected ${described(content)} with ${target(made)}`, {
      content: content.guid,
    });
    return made;
  }, aboutContent(guid));
  contentChanged(row.content_guid);
  return { row, secret };
}

/**
 * Whoever changes it becomes the deployer. Another repository discards token and deploy key: a collaborator must not read
 * with them what their owner did not connect. Another host discards its keys.
 * @throws ApiError 25, 143, 145
 */
export async function changeRepository(
  parts: Parts,
  caller: Caller,
  guid: string,
  wanted: Wanted,
): Promise<RepositoryRow> {
  const { config, storage, clock, audit, secrets } = parts;
  return storage.write(async (tx) => {
    const content = await manageable(tx, caller, guid);
    const before = await findRepository(tx, content.guid);
    requireGit(config);
    if (!before) throw errors.notManagedByGit();
    const url = wanted.repository === undefined ? before.url : repositoryAddress(wanted.repository);
    const kept = url === before.url ? before : NO_SECRETS;
    const isKnownHost = isSameHost(url, before.url);
    const offered = isKnownHost ? before.offered_keys : null;
    const trusted = isKnownHost ? before.host_keys : null;
    const polling = wanted.polling ?? before.polling === 1;
    const set = {
      user_guid: caller.guid,
      url,
      branch: wanted.branch === undefined ? before.branch : branchName(wanted.branch),
      directory: wanted.directory === undefined ? before.directory : directoryPath(wanted.directory),
      polling: polling ? 1 : 0,
      username: wanted.username === undefined ? before.username : wanted.username,
      token: wanted.token === undefined ? kept.token : sealedToken(secrets, content.guid, url, wanted.token),
      ...deployKey(secrets, content, url, wanted.deploy_key, kept),
      host_keys:
        wanted.host_keys === undefined ? trusted : trustedKeys(wanted.host_keys, keysOf(offered)).join('\n'),
      offered_keys: offered,
      last_error: null,
      fetch_error: null,
      last_commit: null,
      look_time: polling ? clock.now() : null,
    } as const;
    await updateRepositoryRow(tx, content.guid, set);
    const after = { ...before, ...set };
    await audit(tx, caller, 'edit_repository', `Connected ${described(content)} with ${target(after)}`, {
      content: content.guid,
    });
    return after;
  }, aboutContent(guid));
}

/** Its bundles stay, and uploads are possible again. @throws ApiError 17 if there is none */
export async function disconnectRepository(parts: Parts, caller: Caller, guid: string): Promise<void> {
  const { storage, audit, contentChanged } = parts;
  await storage.write(async (tx) => {
    const content = await manageable(tx, caller, guid);
    if (!(await removeRepository(tx, content.guid)))
      throw errors.itemToRemoveNotFound({ message: 'this content is not managed by git' });
    await updateContentRow(tx, content.guid, { git_managed: 0 });
    await audit(
      tx,
      caller,
      'disconnect_repository',
      `Disconnected ${described(content)} from its repository`,
      {
        content: content.guid,
      },
    );
  }, aboutContent(guid));
  contentChanged(guid);
}

/** @throws ApiError 143 */
export async function renewSecret(parts: Parts, caller: Caller, guid: string): Promise<Connected> {
  const { storage, ids, audit, secrets } = parts;
  const secret = ids.secret();
  const row = await storage.write(async (tx) => {
    const content = await manageable(tx, caller, guid);
    const before = await findRepository(tx, content.guid);
    if (!before) throw errors.notManagedByGit();
    const set = { secret: secrets.encrypt(secret, repositoryContext(content.guid, 'secret')) };
    await updateRepositoryRow(tx, content.guid, set);
    await audit(
      tx,
      caller,
      'renew_repository_secret',
      `Renewed the webhook secret of ${described(content)}`,
      {
        content: content.guid,
      },
    );
    return { ...before, ...set };
  });
  return { row, secret };
}

async function manageable(tx: Executor, caller: Caller, guid: string): Promise<ContentRow> {
  // A content key's deploys would continue with its owner's rights after its end.
  if (caller.limits !== undefined)
    throw errors.operationDenied({ message: 'an API key with limits cannot change the repository' });
  return (await loadContent(tx, guid, caller, 'updateContent')).content;
}

function sealedToken(secrets: Secrets, guid: string, url: string, token: string | null): string | null {
  if (token === null) return null;
  requireSecret(url);
  return secrets.encrypt(token, repositoryContext(guid, 'token'));
}

/** The given key or the existing one; ssh always has one. */
function deployKey(
  secrets: Secrets,
  { guid, name }: ContentRow,
  url: string,
  wanted: string | null | undefined,
  before: Pick<RepositoryRow, 'ssh_key' | 'public_key'>,
): Pick<RepositoryRow, 'ssh_key' | 'public_key'> {
  const isKept = wanted === undefined && (before.ssh_key !== null || !isSsh(url));
  if (isKept) return { ssh_key: before.ssh_key, public_key: before.public_key };
  const comment = `pressroom-${name.replace(/[^\w.-]/g, '-')}`;
  const key = wanted == null ? makeDeployKey(comment) : readDeployKey(wanted, comment);
  return {
    ssh_key: secrets.encrypt(key.privateKey, repositoryContext(guid, 'ssh_key')),
    public_key: key.publicKey,
  };
}

const described = ({ name, guid }: ContentRow) => `content ${name} (${guid})`;
const target = ({ url, branch, directory }: RepositoryRow) =>
  `branch ${branch} of ${url}${directory === '.' ? '' : `, directory ${directory}`}`;
