// Who am I.
import { ApiError } from '@pressroom/api';
import { presentUser } from '../../../domain/presenters.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';
import { findUser } from '../../../storage/users.ts';

export async function getCurrentUser(
  { storage }: Services,
  { caller }: Pick<ApiRequest<'getCurrentUser'>, 'caller'>,
): Promise<ApiAnswer<'getCurrentUser'>> {
  const row = await findUser(storage.db, caller.guid);
  if (!row) throw new ApiError(24);
  return presentUser(row, { email: true });
}
