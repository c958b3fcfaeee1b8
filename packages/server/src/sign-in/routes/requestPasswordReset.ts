// Has a link to set a password mailed: an addition beside the contract.
import { ApiError } from '@pressroom/api';
import { requestPasswordReset as requestCommand } from '../passwords/commands.ts';
import { isFromElsewhere } from '../../http/from-elsewhere.ts';
import { visitOf } from '../visit-of.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function requestPasswordReset(
  services: Services,
  { body, base, raw, visitor }: ApiRequest<'requestPasswordReset'>,
): Promise<ApiAnswer<'requestPasswordReset'>> {
  if (isFromElsewhere(raw.headers)) throw new ApiError(92);
  await requestCommand(services, body.username, base, visitOf(services, raw.headers, visitor));
}
