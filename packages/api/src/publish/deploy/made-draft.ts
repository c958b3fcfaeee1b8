// Drafts: deploys with `activate: false`, and where what they made is opened.
import type { Client } from '../../client/client.ts';
import { isMissingEndpoint } from '../../client/dialects.ts';
import type { ContentItem } from '../../client/methods.ts';

export interface MadeDraft {
  readonly url: string;
  /** When it is removed; null on servers that do not say. */
  readonly expires_time: string | null;
}

/** From this version on, servers of others know drafts; earlier ones take no notice of `activate`. */
const FIRST = { year: 2025, month: 6 };

export class NoDraftsError extends Error {
  override readonly name = 'NoDraftsError';
  constructor() {
    super('This server has no drafts: the bundle would go live.');
  }
}

/**
 * Starts the deploy of a bundle as a draft. @throws NoDraftsError on a server that would make it live; a call's failure
 * @returns the id of the task
 */
export async function startDraft(
  client: Client,
  guid: string,
  bundle_id: string,
  draft: { readonly preview: string | null },
): Promise<string> {
  try {
    // This one has one form only: the older form of a deploy would take no notice of `activate`.
    return (await client.buildContent({ guid, bundle_id, activate: false, ...draft })).task_id;
  } catch (error) {
    if (!isMissingEndpoint(error)) throw error;
  }
  const { version } = await client.getServerSettings({});
  if ((await client.dialect()) !== 'ga' || isBefore(version)) throw new NoDraftsError();
  const instructions = { guid, bundle_id, activate: false };
  return (await client.deployContentBundle(instructions)).task_id;
}

/** A server that does not say its version is taken for one of today. */
function isBefore(version: unknown): boolean {
  const [, year, month] = /^(\d{4})\.(\d{1,2})\b/.exec(String(version)) ?? [];
  if (year === undefined) return typeof version === 'string' && version !== '';
  return Number(year) * 12 + Number(month) < FIRST.year * 12 + FIRST.month;
}

/**
 * Servers without a list of drafts show one below the page of the content in their dashboard. Null where the bundle went
 * live all the same. Throws a call's failure.
 */
export async function madeDraft(
  client: Client,
  content: Pick<ContentItem, 'guid' | 'url' | 'dashboard_url'>,
  bundle_id: string,
): Promise<MadeDraft | null> {
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
