// Drafts: deploys with `activate: false`, and their address.
import type { Client } from '../../client/client.ts';
import { isMissingEndpoint } from '../../client/dialects.ts';
import { RefusedError } from '../../client/failures.ts';
import type { ContentItem } from '../../client/methods.ts';
import { isBefore } from './is-before.ts';

export interface DeployedDraft {
  readonly url: string;
  /** When it expires; null if the server does not say. */
  readonly expires_time: string | null;
  /** Of its deploy, by which it is made live; absent if the server does not say. */
  readonly task_id?: string;
}

/** First version of other servers with drafts; earlier ones ignore `activate`. */
const FIRST = { year: 2025, month: 6 };
/** The code for `activate: false`: for a bundle that is active, and for every bundle before servers had drafts. */
const ONLY_ACTIVE = 39;

export class NoDraftsError extends Error {
  override readonly name = 'NoDraftsError';
  constructor() {
    super('This server has no drafts: the bundle would go live.');
  }
}

/**
 * Starts the deploy of a bundle as a draft. @throws NoDraftsError on a server that would make it live; call failures
 * @returns the id of the task
 */
export async function startDraft(
  client: Client,
  guid: string,
  bundle_id: string,
  draft: { readonly preview: string | null },
): Promise<string> {
  try {
    // This operation has one form only: the older form of a deploy would ignore `activate`.
    return (await client.buildContent({ guid, bundle_id, activate: false, ...draft })).task_id;
  } catch (error) {
    if (
      error instanceof RefusedError &&
      error.code === ONLY_ACTIVE &&
      !(await hasDrafts(client, guid, bundle_id))
    )
      throw new NoDraftsError();
    if (!isMissingEndpoint(error)) throw error;
  }
  if ((await client.dialect()) !== 'ga') throw new NoDraftsError();
  const { version } = await client.getServerSettings({});
  if (isBefore(version, FIRST)) throw new NoDraftsError();
  const instructions = { guid, bundle_id, activate: false };
  return (await client.deployContentBundle(instructions)).task_id;
}

async function hasDrafts(client: Client, guid: string, id: string): Promise<boolean> {
  return client.getDraft({ guid, id }).then(
    () => true,
    (error: unknown) => !isMissingEndpoint(error),
  );
}

/**
 * Servers without a list of drafts show one on the content's dashboard page. Null if the bundle went live nevertheless.
 * Throws call failures.
 */
export async function findDeployedDraft(
  client: Client,
  content: Pick<ContentItem, 'guid' | 'url' | 'dashboard_url'>,
  bundle_id: string,
): Promise<DeployedDraft | null> {
  try {
    return await client.getDraft({ guid: content.guid, id: bundle_id });
  } catch (error) {
    if (!isMissingEndpoint(error)) throw error;
    if ((await client.getContent({ guid: content.guid })).bundle_id === bundle_id) return null;
    const { dashboard_url, url } = content;
    const page = dashboard_url ? `${dashboard_url.replace(/\/+$/, '')}/draft/${bundle_id}` : url;
    return { url: page, expires_time: null };
  }
}
