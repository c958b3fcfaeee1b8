// Makes a link with which a user sets a password: an addition beside the contract.
import { createPasswordLink as createCommand } from '../passwords/commands.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function createPasswordLink(
  services: Services,
  { params, caller, base }: ApiRequest<'createPasswordLink'>,
): Promise<ApiAnswer<'createPasswordLink'>> {
  const { url, expires } = await createCommand(services, caller, params.guid, base);
  return { url, expires_time: toTimestamp(expires) };
}
