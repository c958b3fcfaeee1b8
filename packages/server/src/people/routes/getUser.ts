// Reads one user (contract, 4.8).
import { ApiError } from '@pressroom/api';
import { seesAccount, seesEmail } from '../policy.ts';
import { presentUser } from '../../content/present.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';
import { findUser } from '../store.ts';

export async function getUser(
  { config, storage }: Services,
  { params, caller }: ApiRequest<'getUser'>,
): Promise<ApiAnswer<'getUser'>> {
  const row = await findUser(storage.db, params.guid);
  if (!row || !seesAccount(config, caller, row.guid)) throw new ApiError(4);
  return presentUser(row, { email: seesEmail(config, caller) });
}
