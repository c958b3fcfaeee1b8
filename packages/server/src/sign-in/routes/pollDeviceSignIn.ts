// Answers the key of a sign-in in the browser, once it was allowed: an addition beside the contract.
import { pollDeviceSignIn as pollCommand } from '../../../commands/device-sign-ins.ts';
import { presentApiKey } from '../../../domain/presenters.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function pollDeviceSignIn(
  services: Services,
  { body }: ApiRequest<'pollDeviceSignIn'>,
): Promise<ApiAnswer<'pollDeviceSignIn'>> {
  const { row, key } = await pollCommand(services, body.device_code);
  return { ...presentApiKey(row), key };
}
