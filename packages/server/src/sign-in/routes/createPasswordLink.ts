// Makes a link with which a user sets a password: an addition beside the contract.
import { createPasswordLink as createCommand } from '../../../commands/passwords.ts';
import { toTimestamp } from '../../../config/clock.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function createPasswordLink(
  services: Services,
  { params, caller, base }: ApiRequest<'createPasswordLink'>,
): Promise<ApiAnswer<'createPasswordLink'>> {
  const { url, expires } = await createCommand(services, caller, params.guid, base);
  return { url, expires_time: toTimestamp(expires) };
}
