// Reads the vanity path of a content item.
import { ApiError } from '@pressroom/api';
import { loadContent } from '../../../commands/content.ts';
import { presentVanity } from './present.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';
import { findVanity } from '../../../storage/content-extras.ts';

export async function getVanity(
  { storage }: Services,
  { params, caller }: ApiRequest<'getVanity'>,
): Promise<ApiAnswer<'getVanity'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readVanity');
  const row = await findVanity(storage.db, content.guid);
  if (!row) throw new ApiError(4);
  return presentVanity(row);
}
