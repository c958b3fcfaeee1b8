// What links to a content item, over HTTP.
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Storage } from '../../platform/database/storage.ts';
import { loadContent } from '../commands.ts';
import { contentScope } from '../policy.ts';
import { listLinking } from './store.ts';

export const linksRoutes = { getContentLinks };

const LISTED = 100;

/** Lists what links to a content item, as far as the caller may see it. */
async function getContentLinks(
  { storage: { db } }: { readonly storage: Storage },
  { params, caller }: ApiRequest<'getContentLinks'>,
): Promise<ApiAnswer<'getContentLinks'>> {
  const { content } = await loadContent(db, params.guid, caller, 'readPackages');
  const { rows, total } = await listLinking(db, content.guid, contentScope(caller, null), LISTED);
  const results = rows.map(({ guid, name, title }) => ({
    content_guid: guid,
    content_name: name,
    content_title: title,
  }));
  return { results, total };
}
