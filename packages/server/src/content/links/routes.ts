// API operation on content that links to a content item.
import type { ContentLinks } from '@pressroom/api/contract';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { loadContent } from '../commands.ts';
import { contentScope } from '../policy.ts';
import { listLinking } from './store.ts';

export const linksRoutes = { getContentLinks };

const LISTED = 100;

/** Lists the content that links to a content item, if the caller may see it. */
async function getContentLinks(
  { storage: { db } }: { readonly storage: Storage },
  { params, caller }: ApiRequest<'getContentLinks'>,
): Promise<ApiResponse<'getContentLinks'>> {
  const { content } = await loadContent(db, params.guid, caller, 'readPackages');
  return presentLinks(db, content.guid, caller);
}

/** Only linking content that the caller may see. */
export async function presentLinks(db: Executor, guid: string, caller: Caller): Promise<ContentLinks> {
  const { rows, total } = await listLinking(db, guid, contentScope(caller, null), LISTED);
  const results = rows.map(({ guid, name, title }) => ({
    content_guid: guid,
    content_name: name,
    content_title: title,
  }));
  return { results, total };
}
