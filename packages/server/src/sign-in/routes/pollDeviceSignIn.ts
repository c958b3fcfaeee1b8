// Answers the key of a sign-in in the browser, once it was allowed: an addition beside the contract.
import { pollDeviceSignIn as pollCommand } from '../device/commands.ts';
import { presentApiKey } from '../../content/present.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function pollDeviceSignIn(
  services: Services,
  { body }: ApiRequest<'pollDeviceSignIn'>,
): Promise<ApiAnswer<'pollDeviceSignIn'>> {
  const { row, key } = await pollCommand(services, body.device_code);
  return { ...presentApiKey(row), key };
}
