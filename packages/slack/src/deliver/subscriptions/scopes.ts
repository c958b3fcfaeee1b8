// Subscriptions to several content items: all, or by owner, tag or type, as far as the subscriber may see them.
import { RefusedError, type Client, type ContentItem } from '@pressroom/api/client';
import type { ContentClients } from '../../link/content-clients.ts';
import type { Store } from '../../store/store.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import { contentSeenBy } from './content-seen.ts';

export type ScopeKind = 'all' | 'owner' | 'tag' | 'type';
export interface Scope {
  readonly kind: ScopeKind;
  /** GUID of the owner, ID of the tag, or type; empty for all. */
  readonly value: string;
}

/** No GUID starts with it. */
const SIGN = '~';

/** Stored in place of a content GUID. */
export function scopeKey({ kind, value }: Scope): string {
  return `${SIGN}${kind}:${value}`;
}

/** Null for a subscription to one content item. */
export function scopeOf({ content }: Pick<Subscription, 'content'>): Scope | null {
  const [, kind, value = ''] = /^~(all|owner|tag|type):(.*)$/.exec(content) ?? [];
  return kind === undefined ? null : { kind: kind as ScopeKind, value };
}

async function isWithin({ kind, value }: Scope, item: ContentItem, client: Client): Promise<boolean> {
  if (kind === 'all') return true;
  if (kind === 'owner') return item.owner_guid === value;
  if (kind === 'type') return item.app_mode === value;
  // A deleted tag has no content.
  const tagged = await client.getTagContent({ id: value }).catch((error: unknown) => {
    if (error instanceof RefusedError && error.status === 404) return [];
    throw error;
  });
  return tagged.some(({ guid }) => guid === item.guid);
}

/** Whether a subscription of a channel may include a content item. */
export async function maySubscribe(
  { store }: { readonly store: Pick<Store, 'subscriptions'> },
  { team, channel }: { readonly team: string; readonly channel: string },
  guid: string,
): Promise<boolean> {
  const all = await store.subscriptions({ team, channel });
  return all.some((subscription) => subscription.content === guid || scopeOf(subscription) !== null);
}

/** Whether a channel gets the releases of a content item; true if the content server does not say. */
export async function getsReleases(
  { store, clients }: { readonly store: Store; readonly clients: ContentClients },
  { team, channel }: { readonly team: string; readonly channel: string },
  guid: string,
): Promise<boolean> {
  for (const subscription of await store.subscriptions({ team, channel })) {
    if (!subscription.filters.split(',').includes('deploys')) continue;
    const scope = scopeOf(subscription);
    if (scope === null && subscription.content !== guid) continue;
    try {
      const seen = await contentSeenBy(clients, subscription, guid);
      if (seen !== null && (scope === null || (await isWithin(scope, seen.item, seen.client)))) return true;
    } catch {
      return true;
    }
  }
  return false;
}

export interface Subscriber {
  readonly subscription: Subscription;
  /** False if the subscription to this content item ends because the subscriber lost access. */
  readonly maySee: boolean;
}

/** Current content of a scope, for its subscriber. */
export async function contentWithin(
  client: Client,
  scope: Scope,
  signal: AbortSignal,
): Promise<ContentItem[]> {
  const { kind, value } = scope;
  if (kind === 'tag') {
    const tagged = new Set((await client.getTagContent({ id: value }, { signal })).map(({ guid }) => guid));
    return (await client.listContent({}, { signal })).filter(({ guid }) => tagged.has(guid));
  }
  const items = await client.listContent(kind === 'owner' ? { owner_guid: value } : {}, { signal });
  return kind === 'type' ? items.filter(({ app_mode }) => app_mode === value) : items;
}

/**
 * All subscriptions that include a content item; those to the item itself come first and take precedence in their
 * channel.
 * @param unknown called with subscriptions for which the content server does not say
 */
export async function subscribersOf(
  { store, clients }: { readonly store: Store; readonly clients: ContentClients },
  guid: string,
  unknown: (subscription: Subscription, error: unknown) => void,
): Promise<Subscriber[]> {
  const found: Subscriber[] = [];
  const all = [...(await store.subscriptions({ content: guid })), ...(await store.scopedSubscriptions())];
  for (const subscription of all) {
    try {
      const seen = await contentSeenBy(clients, subscription, guid);
      const scope = scopeOf(subscription);
      if (scope === null) found.push({ subscription, maySee: seen !== null });
      else if (seen !== null && (await isWithin(scope, seen.item, seen.client)))
        found.push({ subscription, maySee: true });
    } catch (error) {
      unknown(subscription, error);
    }
  }
  return found;
}
