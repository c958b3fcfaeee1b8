// Reads one permission.
import { ApiError } from '@pressroom/api';
import { loadContent } from '../../../commands/content.ts';
import { presentPermission } from './present.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';
import { findPermission } from '../../../storage/content.ts';

export async function getPermission(
  { storage }: Services,
  { params, caller }: ApiRequest<'getPermission'>,
): Promise<ApiAnswer<'getPermission'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readPermissions');
  const row = await findPermission(storage.db, content.guid, Number(params.id));
  if (!row) throw new ApiError(4);
  return presentPermission(row);
}
