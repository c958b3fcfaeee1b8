// Trusted publishers: which CI pipelines may deploy content, and the exchange of their tokens for keys.
import { isDeepStrictEqual } from 'node:util';
import { type ApiError, errors } from '@pressroom/api/contract';
import { loadContent } from '../../content/commands.ts';
import { contentRole, mayAct } from '../../content/policy.ts';
import { findContent, findGrantedRole } from '../../content/store.ts';
import { findUser } from '../../people/store.ts';
import type { Micros } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';
import { type KeyForm, newKey } from '../api-keys.ts';
import { hashSecret, type Caller } from '../authenticator.ts';
import { insertApiKey } from '../store.ts';
import { actorOf } from '../visit.ts';
import type { Parts } from './parts.ts';
import {
  contentTrusting,
  deleteTrustedPublisher,
  insertTrustedPublisher,
  listTrustedPublishers,
  noteUse,
  removeExpiredPipelineKeys,
  useToken,
  type NamedTrustedPublisher,
  type TrustedPublisherRow,
} from './store.ts';
import type { Pipeline } from './verify-token.ts';

export interface Wanted {
  readonly issuer: string;
  readonly repository: string;
  readonly branch: string | null;
  readonly environment: string | null;
  readonly draftsOnly: boolean;
}

export interface PipelineKey {
  readonly key: string;
  readonly contentGuid: string;
  readonly draftsOnly: boolean;
  readonly expires: Micros;
}

/** Lifetime of a pipeline's key: longer than most deploys. */
const KEY_LIFETIME: Micros = 2 * 3_600_000_000;
const MAX_PUBLISHERS = 20;

export async function trustedPublishersOf(
  { storage: { db } }: Pick<Parts, 'storage'>,
  caller: Caller,
  guid: string,
): Promise<NamedTrustedPublisher[]> {
  const { content } = await loadContent(db, guid, caller, 'readJobs');
  return listTrustedPublishers(db, content.guid);
}

/**
 * Deploys that go live need a branch or an environment: otherwise anybody who can push to any branch could deploy.
 * Without Server.Address, no token is accepted.
 * @throws ApiError 22, 25
 */
export async function addTrustedPublisher(
  parts: Pick<Parts, 'config' | 'storage' | 'audit' | 'clock' | 'ciTokens'>,
  caller: Caller,
  guid: string,
  { issuer, repository, branch, environment, draftsOnly }: Wanted,
): Promise<NamedTrustedPublisher> {
  const { config, storage, audit, clock, ciTokens } = parts;
  if (caller.limits !== undefined)
    throw errors.operationDenied({ message: 'an API key with limits cannot add a trusted publisher' });
  if (!draftsOnly && branch === null && environment === null)
    throw errors.invalidParameter({
      message: 'name a branch or an environment, or allow drafts only: any branch could go live otherwise',
      field: 'branch',
    });
  return storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'uploadBundle');
    if (config['Server.Address'] === '')
      throw errors.invalidParameter({
        message: 'no token of a CI is accepted here: the server needs the setting Server.Address for that',
      });
    if (!ciTokens.issuers.includes(issuer))
      throw errors.invalidParameter({
        message: `tokens of ${issuer} are not accepted here (CI.Issuers)`,
        field: 'issuer',
      });
    const wanted = {
      user_guid: caller.guid,
      issuer,
      repository: repository.toLowerCase(),
      branch,
      environment,
      drafts_only: draftsOnly ? 1 : 0,
    } as const;
    const all = await listTrustedPublishers(tx, content.guid);
    // The same again, as a script adds it: removing one must not leave the other. One that was used is bound to the
    // repository that used it, and adding it again is for another repository of that name.
    const same = all.find(
      (one) => one.repository_id === null && isDeepStrictEqual({ ...one, ...wanted }, { ...one }),
    );
    if (same !== undefined) return same;
    if (all.length >= MAX_PUBLISHERS)
      throw errors.invalidParameter({ message: `content has at most ${MAX_PUBLISHERS} trusted publishers` });
    const row = await insertTrustedPublisher(tx, {
      ...wanted,
      content_guid: content.guid,
      created_time: clock.now(),
    });
    const description = `Let ${described(row)} deploy ${draftsOnly ? 'drafts of ' : ''}${content.name} (${content.guid})`;
    await audit(tx, caller, 'add_trusted_publisher', description, { content: content.guid });
    return { ...row, username: caller.username };
  });
}

/** @throws ApiError 17 if there is none */
export async function removeTrustedPublisher(
  { storage, audit, authenticator }: Pick<Parts, 'storage' | 'audit' | 'authenticator'>,
  caller: Caller,
  guid: string,
  id: string,
): Promise<void> {
  const removed = await storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'deployContent');
    const row = await deleteTrustedPublisher(tx, content.guid, Number(id));
    if (!row) throw errors.itemToRemoveNotFound();
    const description = `${described(row)} deploys ${content.name} (${content.guid}) no more`;
    await audit(tx, caller, 'remove_trusted_publisher', description, { content: content.guid });
    return row;
  });
  authenticator.forget(removed.user_guid);
}

/**
 * Exchanges a valid token of a trusted pipeline for a key for one content item. The key has the current rights of the
 * user who added the trusted publisher.
 * @param contentGuid null for the only content that trusts the pipeline
 * @throws ApiError 22 if no trusted publisher matches, or more than one content item trusts the pipeline, 24 for an
 * invalid token
 */
export async function exchangeToken(
  parts: Pick<Parts, 'storage' | 'clock' | 'ids' | 'audit' | 'ciTokens'>,
  contentGuid: string | null,
  token: string,
  as: KeyForm = 'key',
): Promise<PipelineKey> {
  const { storage, clock, ids, audit, ciTokens } = parts;
  const pipeline = await ciTokens.read(token);
  return storage.write(async (tx) => {
    const now = clock.now();
    const fitting = await (contentGuid === null
      ? onlyFittingPublisher(tx, pipeline)
      : fittingPublisher(tx, contentGuid, pipeline));
    if (!fitting) throw trustsNot(pipeline);
    const used = { token_hash: pipeline.tokenHash, expires_time: pipeline.expires };
    if (!(await useToken(tx, used, now)))
      throw errors.authenticationRequired({ message: 'the token of the CI was used before' });
    const { publisher, user } = fitting;
    const key = newKey(ids, as);
    const expires = now + KEY_LIFETIME;
    await removeExpiredPipelineKeys(tx, now);
    const row = await insertApiKey(tx, {
      user_guid: user.guid,
      name: `pipeline ${pipeline.name}`,
      key_hash: hashSecret(key),
      content_guid: publisher.content_guid,
      created_time: now,
      expires_time: expires,
      role: 'publisher',
      publisher_id: publisher.id,
      pipeline: pipeline.name,
      drafts_only: publisher.drafts_only,
    });
    await noteUse(tx, publisher.id, { repository_id: pipeline.repositoryId, last_used_time: now });
    const actor = { ...actorOf(user), pipeline };
    const description = `Created API key "${row.name}" (${row.id}) of user ${user.guid} for content ${publisher.content_guid}`;
    await audit(tx, actor, 'add_api_key', description, { content: publisher.content_guid });
    return { key, expires, contentGuid: publisher.content_guid, draftsOnly: publisher.drafts_only === 1 };
  });
}

/** @throws ApiError 22 if several content items trust the pipeline */
async function onlyFittingPublisher(tx: Executor, pipeline: Pipeline) {
  const guids = await contentTrusting(tx, pipeline);
  const all = await Promise.all(guids.map((guid) => fittingPublisher(tx, guid, pipeline)));
  const [fitting, other] = all.filter((one) => one !== undefined);
  if (other)
    throw errors.operationDenied({
      message: 'the token is ambiguous: more than one content item trusts this pipeline',
    });
  return fitting;
}

/** The most permissive match. Unknown content is treated like content without trusted publishers. */
async function fittingPublisher(tx: Executor, contentGuid: string, pipeline: Pipeline) {
  const content = await findContent(tx, contentGuid.toLowerCase());
  const publishers = content ? await listTrustedPublishers(tx, content.guid) : [];
  const fitting = publishers
    .filter((publisher) => fits(publisher, pipeline))
    .toSorted((a, b) => a.drafts_only - b.drafts_only);
  for (const publisher of fitting) {
    const user = await findUser(tx, publisher.user_guid);
    if (!content || !user || user.locked === 1) continue;
    const caller = { guid: user.guid, role: user.user_role };
    const role = contentRole(content, caller, await findGrantedRole(tx, content.guid, user.guid));
    if (mayAct('uploadBundle', role, caller)) return { publisher, user };
  }
  return undefined;
}

function trustsNot({ issuer, repository, branch, environment }: Pipeline): ApiError {
  const where = `${branch === null ? 'no branch' : `branch ${branch}`}, ${environment === null ? 'no environment' : `environment ${environment}`}`;
  return errors.operationDenied({
    message: `no trusted publisher of this content matches the pipeline: ${repository} at ${issuer}, ${where}`,
  });
}

function fits(publisher: TrustedPublisherRow, pipeline: Pipeline): boolean {
  const { issuer, repository, repository_id: id, branch, environment } = publisher;
  return (
    issuer === pipeline.issuer &&
    repository === pipeline.repository &&
    (id === null || id === pipeline.repositoryId) &&
    (branch === null || branch === pipeline.branch) &&
    (environment === null || environment === pipeline.environment)
  );
}

function described({ issuer, repository, branch, environment }: TrustedPublisherRow): string {
  const parts = [
    branch === null ? '' : `, branch ${branch}`,
    environment === null ? '' : `, environment ${environment}`,
  ];
  return `pipelines of ${repository} at ${issuer}${parts.join('')}`;
}
