// Reads the vanity path of a content item.
import { ApiError } from '@pressroom/api';
import { loadContent } from '../../commands.ts';
import { presentVanity } from '../present.ts';
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';
import { findVanity } from '../../extras-store.ts';

export async function getVanity(
  { storage }: Services,
  { params, caller }: ApiRequest<'getVanity'>,
): Promise<ApiAnswer<'getVanity'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readVanity');
  const row = await findVanity(storage.db, content.guid);
  if (!row) throw new ApiError(4);
  return presentVanity(row);
}
