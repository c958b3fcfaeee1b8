// Finds or creates the content item to publish to.
import type { Client } from '../../client/client.ts';
import type { ClientClock } from '../../client/clock.ts';
import { InvalidResponseError, NoResponseError, RefusedError } from '../../client/failures.ts';
import type { ContentItem } from '../../client/methods.ts';
import { findContentRecord, findRecord, type StoredRecord } from '../records/record.ts';
import { contentNameFrom, uniqueName } from './content-name.ts';
import type { DeployOptions } from './deploy-events.ts';
import { directoryName } from './prepare.ts';

export interface Target {
  content: ContentItem;
  created: boolean;
  /** The record to continue with. */
  record: StoredRecord | undefined;
}

/** The recorded content no longer exists on the server. */
export class ContentGoneError extends Error {
  override readonly name = 'ContentGoneError';
  readonly guid: string;
  readonly code = 4;
  readonly hint = 'Publish it as new content (--new), or check that you are signed in to the right server.';

  constructor(guid: string, cause: unknown) {
    super(`The content ${guid} is no longer on the server.`, { cause });
    this.guid = guid;
  }
}

/** The content is locked on the server: nothing may be published to it. */
export class ContentLockedError extends Error {
  override readonly name = 'ContentLockedError';
  readonly code = null;
  readonly hint = 'Unlock it in the dashboard, ask its owner, or publish it as new content.';
  /** Name of the content. */
  readonly content: string;
  /** Given by whoever locked it; may be empty. */
  readonly reason: string;

  constructor(content: string, reason: string) {
    super(`${content} is locked on the server${reason === '' ? '' : `: ${reason}`}`);
    this.content = content;
    this.reason = reason;
  }
}

const NAME_ATTEMPTS = 5;
const MIN_TITLE_LENGTH = 3;

/** The record of the given content, else of an earlier deploy to this server; or undefined. Throws RecordError. */
export async function recordOf(options: DeployOptions): Promise<StoredRecord | undefined> {
  const { dir, client, guid, name, publishAsNew = false } = options;
  if (options.record === false) return undefined;
  if (publishAsNew) return findRecord(dir, client.url);
  if (guid === undefined) return findRecord(dir, client.url, name);
  return (await findContentRecord(dir, { server: client.url, guid })) ?? findRecord(dir, client.url);
}

/**
 * The existing item, or undefined if a new one is to be created. Throws ContentGoneError, ContentLockedError or call
 * failures.
 */
export async function findTarget(
  options: DeployOptions,
  record: StoredRecord | undefined,
): Promise<Target | undefined> {
  const { client, signal } = options;
  if (options.publishAsNew === true) return undefined;
  const guid = options.guid ?? record?.guid;
  if (guid === undefined) return undefined;
  try {
    const content: ContentItem & { locked?: boolean; locked_message?: string } = await client.getContent(
      { guid },
      { signal },
    );
    if (content.locked === true) throw new ContentLockedError(content.name, content.locked_message ?? '');
    return { content, created: false, record: record?.guid === guid ? record : undefined };
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404 && error.code === 4) {
      throw new ContentGoneError(guid, error);
    }
    throw error;
  }
}

/**
 * Creates the item. If the name is taken (26), a unique one is derived from it: the GUID in the record identifies it.
 * Not stopped by a signal: an item whose GUID never arrived could not be removed again.
 */
export async function createTarget(options: DeployOptions, clock: ClientClock): Promise<Target> {
  const { client, description, access_type } = options;
  const directory = directoryName(options.dir);
  const wanted = options.name ?? contentNameFrom(options.title ?? directory);
  // The title keeps what a name cannot have, such as spaces and umlauts.
  const titled =
    options.name === undefined && directory !== wanted && [...directory].length >= MIN_TITLE_LENGTH;
  const title = options.title ?? (titled ? directory : undefined);
  for (let attempt = 0; ; attempt += 1) {
    const name = attempt === 0 ? wanted : uniqueName(wanted, clock.random);
    try {
      const content = await client.createContent({
        name,
        ...(title !== undefined && { title }),
        ...(description !== undefined && { description }),
        ...(access_type !== undefined && { access_type }),
      });
      return { content, created: true, record: undefined };
    } catch (error) {
      const taken = error instanceof RefusedError && error.code === 26;
      if (taken && attempt < NAME_ATTEMPTS) continue;
      const made = await madeUnseen(client, name, error, clock);
      if (made === undefined) throw error;
      return { content: made, created: true, record: undefined };
    }
  }
}

/** Milliseconds of tolerated clock difference. */
const CLOCKS_DIFFER = 600_000;

/** The item that was created although the response was lost: another attempt would create a second one. */
async function madeUnseen(
  client: Client,
  name: string,
  failure: unknown,
  clock: ClientClock,
): Promise<ContentItem | undefined> {
  const uncertain =
    failure instanceof InvalidResponseError ||
    (failure instanceof NoResponseError && !failure.nothingSent) ||
    (failure instanceof RefusedError && failure.status >= 500);
  if (!uncertain) return undefined;
  const found = await client.listContent({ name }, { retries: 0 }).catch(() => []);
  return found.find(
    (item) =>
      item.name === name &&
      item.role === 'owner' &&
      item.bundle_id === null &&
      Math.abs(clock.now() - Date.parse(item.created_time)) < CLOCKS_DIFFER,
  );
}
