// Backups for programs: requested with an API key, confirmed in the browser, and downloaded once.
import type { ApiResponse, ApiRequest, TarResponse } from '../http/request.ts';
import { beginDeviceSignIn, claimAllowed } from '../sign-in/device/commands.ts';
import { presentDeviceCode } from '../sign-in/device/present.ts';
import { sendBackup } from './commands.ts';

type Parts = Parameters<typeof beginDeviceSignIn>[0] & Parameters<typeof sendBackup>[0];

export const backupsRoutes = { beginBackup, downloadBackup };

/** Requests a backup: the owner of the API key confirms the code. */
async function beginBackup(
  parts: Parts,
  { caller, body, base, visitor }: ApiRequest<'beginBackup'>,
): Promise<ApiResponse<'beginBackup'>> {
  const purpose = { purpose: 'backup', asked_by: caller.guid } as const;
  return presentDeviceCode(await beginDeviceSignIn(parts, body.client_name, visitor, purpose), base);
}

/** Returns the backup after the confirmation. @throws ApiError 25 before it, 100 while another one is made */
async function downloadBackup(
  parts: Parts,
  { caller, body, signal }: ApiRequest<'downloadBackup'>,
): Promise<TarResponse> {
  const claim = { deviceCode: body.device_code, purpose: 'backup', asked_by: caller.guid } as const;
  await claimAllowed(parts, claim, async (_tx, row) => row);
  return sendBackup(parts, caller, signal);
}
