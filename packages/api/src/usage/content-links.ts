// Content that links to a content item: to know before deleting it.
import { type Client, isMissingEndpoint, RefusedError } from '../client/index.ts';
import type { ContentLinks } from '../contract/operations/index.ts';

/** Maximum named items; others are counted. */
const NAMED = 5;

/** Null if the server does not say. @throws connection failures of the client */
export async function contentLinks(
  client: Pick<Client, 'getContentLinks'>,
  guid: string,
  signal?: AbortSignal,
): Promise<ContentLinks | null> {
  try {
    return await client.getContentLinks({ guid }, { signal });
  } catch (error) {
    if (isMissingEndpoint(error) || error instanceof RefusedError) return null;
    throw error;
  }
}

/** Such as "Sales overview and 2 other content items link to it."; empty without links. */
export function describeLinks({ results, total }: ContentLinks): string {
  if (total === 0) return '';
  const names = results.slice(0, NAMED).map((item) => item.content_title || item.content_name);
  const others = total - names.length;
  const all =
    others === 0
      ? names
      : [...names, `${others}${names.length > 0 ? ' other' : ''} content item${others === 1 ? '' : 's'}`];
  const list = all.length === 1 ? all[0]! : `${all.slice(0, -1).join(', ')} and ${all.at(-1)!}`;
  return `${list} ${total === 1 ? 'links' : 'link'} to it.`;
}
