// Changes one's own password: an addition beside the contract.
import { hashSecret, readCookie, SESSION_COOKIE } from '../authenticator.ts';
import { changePassword as changeCommand } from '../passwords/commands.ts';
import { visitOf } from '../visit-of.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export function changePassword(
  services: Services,
  { body, caller, raw, visitor }: ApiRequest<'changePassword'>,
): Promise<ApiAnswer<'changePassword'>> {
  const passwords = { current: body.current_password, next: body.password };
  const kept = hashSecret(readCookie(raw.headers.cookie, SESSION_COOKIE) ?? '');
  return changeCommand(services, caller, passwords, visitOf(services, raw.headers, visitor), kept);
}
