// Who am I.
import { ApiError } from '@pressroom/api';
import { presentUser } from '../../content/present.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';
import { findUser } from '../store.ts';

export async function getCurrentUser(
  { storage }: Services,
  { caller }: Pick<ApiRequest<'getCurrentUser'>, 'caller'>,
): Promise<ApiAnswer<'getCurrentUser'>> {
  const row = await findUser(storage.db, caller.guid);
  if (!row) throw new ApiError(24);
  return presentUser(row, { email: true });
}
