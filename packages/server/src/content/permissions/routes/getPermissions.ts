// Lists who may see and change a content item.
import { presentPermission } from '../present.ts';
import { loadContent } from '../../commands.ts';
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';
import { listPermissions } from '../../store.ts';

export async function getPermissions(
  { storage }: Services,
  { params, caller }: ApiRequest<'getPermissions'>,
): Promise<ApiAnswer<'getPermissions'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readPermissions');
  return (await listPermissions(storage.db, content.guid)).map(presentPermission);
}
