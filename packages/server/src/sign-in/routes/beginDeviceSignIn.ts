// Begins to sign in in the browser: an addition beside the contract.
import { ApiError } from '@pressroom/api';
import { beginDeviceSignIn as beginCommand } from '../device/commands.ts';
import { DASHBOARD_PREFIX } from '../../dashboard/dashboard-route.ts';
import { isFromElsewhere } from '../../http/from-elsewhere.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function beginDeviceSignIn(
  services: Services,
  { body, base, visitor, raw }: ApiRequest<'beginDeviceSignIn'>,
): Promise<ApiAnswer<'beginDeviceSignIn'>> {
  // Pages of other sites could use up what one network may have waiting.
  if (isFromElsewhere(raw.headers)) throw new ApiError(92);
  const { deviceCode, userCode, expiresIn, interval } = await beginCommand(
    services,
    body.client_name,
    visitor,
  );
  const page = `${base}${DASHBOARD_PREFIX}/device`;
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?code=${userCode}`,
    expires_in: expiresIn,
    interval,
  };
}
