// Lists the sessions of a user: an addition beside the contract.
import { hashSecret, readCookie, SESSION_COOKIE } from '../authenticator.ts';
import { sessionId, sessionsOf } from '../sessions.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function getSessions(
  services: Services,
  { params, caller, raw }: ApiRequest<'getSessions'>,
): Promise<ApiAnswer<'getSessions'>> {
  const own = hashSecret(readCookie(raw.headers.cookie, SESSION_COOKIE) ?? '');
  const rows = await sessionsOf(services, caller, params.guid);
  return rows.map((row) => ({
    id: sessionId(row),
    user_guid: row.user_guid,
    created_time: toTimestamp(row.created_time),
    active_time: toTimestamp(row.active_time),
    expires_time: toTimestamp(row.expires_time),
    address: row.address,
    agent: row.agent,
    current: caller.by === 'session' && row.token_hash === own,
  }));
}
