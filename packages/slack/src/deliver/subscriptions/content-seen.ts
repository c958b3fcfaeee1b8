// What a person may see on the content server now, with their own key.
import { type Client, type ContentItem, RefusedError } from '@pressroom/api/client';
import type { ContentClients } from '../../link/content-clients.ts';

/** Whether a person may see a content item now. @throws if the content server does not say */
export async function maySee(
  clients: ContentClients,
  who: { readonly team: string; readonly slack_user: string },
  content: string,
): Promise<boolean> {
  return (await contentSeenBy(clients, who, content)) !== null;
}

/** The content item as a person sees it now; null if they may not. @throws if the content server does not say */
export async function contentSeenBy(
  clients: ContentClients,
  who: { readonly team: string; readonly slack_user: string },
  content: string,
): Promise<{ item: ContentItem; client: Client } | null> {
  const linked = await clients.ofLink(who.team, who.slack_user);
  if (linked === null) return null;
  const { client } = linked;
  const item = await client.getContent({ guid: content }).catch(nullIfDenied);
  return item && { item, client };
}

/** An invalid key, a missing right, or content the invoker cannot see. */
export function isDenied(error: unknown): boolean {
  return error instanceof RefusedError && [401, 403, 404].includes(error.status);
}

/** For `catch`: null instead of what is denied. @throws any other failure */
export function nullIfDenied(error: unknown): null {
  if (isDenied(error)) return null;
  throw error;
}
