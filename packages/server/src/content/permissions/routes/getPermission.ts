// Reads one permission.
import { ApiError } from '@pressroom/api';
import { loadContent } from '../../commands.ts';
import { presentPermission } from '../present.ts';
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';
import { findPermission } from '../../store.ts';

export async function getPermission(
  { storage }: Services,
  { params, caller }: ApiRequest<'getPermission'>,
): Promise<ApiAnswer<'getPermission'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readPermissions');
  const row = await findPermission(storage.db, content.guid, Number(params.id));
  if (!row) throw new ApiError(4);
  return presentPermission(row);
}
