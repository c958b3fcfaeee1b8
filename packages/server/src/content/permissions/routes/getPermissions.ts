// Lists who may see and change a content item.
import { presentPermission } from './present.ts';
import { loadContent } from '../../../commands/content.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';
import { listPermissions } from '../../../storage/content.ts';

export async function getPermissions(
  { storage }: Services,
  { params, caller }: ApiRequest<'getPermissions'>,
): Promise<ApiAnswer<'getPermissions'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readPermissions');
  return (await listPermissions(storage.db, content.guid)).map(presentPermission);
}
