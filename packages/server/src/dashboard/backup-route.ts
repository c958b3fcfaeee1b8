// Returns a backup of the server for a form.
import { errors } from '@pressroom/api/contract';
import { sendBackup as send } from '../backups/commands.ts';
import type { TarResponse } from '../http/request.ts';
import { isFresh } from '../sign-in/fresh-session.ts';
import { type PageRequest, requireAdministrator } from './page.ts';

/** @throws ApiError 22 for anybody but administrators who have just signed in, 100 while another backup is made */
export async function sendBackup(request: PageRequest, signal: AbortSignal): Promise<TarResponse> {
  const { parts, caller, visit } = request;
  await requireAdministrator(request);
  if (!(await isFresh(parts, visit)))
    throw errors.operationDenied({ message: 'Sign in again: a backup needs a sign-in within ten minutes.' });
  return send(parts, caller, signal);
}
