// Reads one user (contract, 4.8).
import { ApiError } from '@pressroom/api';
import { seesAccount, seesEmail } from '../../../domain/people.ts';
import { presentUser } from '../../../domain/presenters.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';
import { findUser } from '../../../storage/users.ts';

export async function getUser(
  { config, storage }: Services,
  { params, caller }: ApiRequest<'getUser'>,
): Promise<ApiAnswer<'getUser'>> {
  const row = await findUser(storage.db, params.guid);
  if (!row || !seesAccount(config, caller, row.guid)) throw new ApiError(4);
  return presentUser(row, { email: seesEmail(config, caller) });
}
