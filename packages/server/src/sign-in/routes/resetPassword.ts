// Sets a password with the token of a link: an addition beside the contract.
import { ApiError } from '@pressroom/api';
import { setPasswordByLink } from '../passwords/commands.ts';
import { isFromElsewhere } from '../../http/from-elsewhere.ts';
import { visitOf } from '../visit-of.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function resetPassword(
  services: Services,
  { body, raw, visitor }: ApiRequest<'resetPassword'>,
): Promise<ApiAnswer<'resetPassword'>> {
  if (isFromElsewhere(raw.headers)) throw new ApiError(92);
  await setPasswordByLink(services, body.token, body.password, visitOf(services, raw.headers, visitor));
}
