// Role request operations of the API.
import type { RoleRequest } from '@pressroom/api/contract';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { decideRole, openRoleRequests, requestRole, type Parts } from './commands.ts';
import type { NamedRoleRequest } from './store.ts';

export const roleRequestsRoutes = { decideRoleRequest, getRoleRequests, requestPublisherRole };

async function requestPublisherRole(
  parts: Parts,
  { body, caller, base }: ApiRequest<'requestPublisherRole'>,
): Promise<ApiResponse<'requestPublisherRole'>> {
  const message = body.message?.trim() || null;
  return present(await requestRole(parts, caller, message, base));
}

async function getRoleRequests(
  parts: Pick<Parts, 'storage' | 'clock'>,
): Promise<ApiResponse<'getRoleRequests'>> {
  return (await openRoleRequests(parts)).map(present);
}

function decideRoleRequest(
  parts: Parameters<typeof decideRole>[0],
  { params, body, caller, base }: ApiRequest<'decideRoleRequest'>,
): Promise<ApiResponse<'decideRoleRequest'>> {
  return decideRole(parts, caller, params.guid.toLowerCase(), body.decision, base);
}

function present({ user_guid, username, message, created_time }: NamedRoleRequest): RoleRequest {
  return { user_guid, username, message, created_time: toTimestamp(created_time) };
}
