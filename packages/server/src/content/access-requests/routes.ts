// Access request operations of the API.
import type { AccessRequest } from '@pressroom/api/contract';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { accessRequestsOf, allAccessRequests, requestAccess } from './commands.ts';
import { decideRequest } from './decide.ts';
import type { Parts } from './parts.ts';
import type { NamedAccessRequest } from './store.ts';

export const accessRequestsRoutes = {
  decideContentAccessRequest,
  getAccessRequests,
  getContentAccessRequests,
  requestContentAccess,
};

async function requestContentAccess(
  parts: Omit<Parts, 'contentChanged'>,
  { params, body, caller, base }: ApiRequest<'requestContentAccess'>,
): Promise<ApiResponse<'requestContentAccess'>> {
  const message = body.message?.trim() || null;
  return present(await requestAccess(parts, caller, params.guid, message, base));
}

async function getContentAccessRequests(
  parts: Pick<Parts, 'storage' | 'clock'>,
  { params, caller }: ApiRequest<'getContentAccessRequests'>,
): Promise<ApiResponse<'getContentAccessRequests'>> {
  return (await accessRequestsOf(parts, caller, params.guid)).map(present);
}

/** Lists the requests for access to all content that the caller may share. */
async function getAccessRequests(
  parts: Pick<Parts, 'storage' | 'clock'>,
  { caller }: ApiRequest<'getAccessRequests'>,
): Promise<ApiResponse<'getAccessRequests'>> {
  const all = await allAccessRequests(parts, caller);
  return all.map(({ content_name, content_title, ...row }) => ({
    ...present(row),
    content_name,
    content_title,
  }));
}

function decideContentAccessRequest(
  parts: Parts,
  { params, body, caller, base }: ApiRequest<'decideContentAccessRequest'>,
): Promise<ApiResponse<'decideContentAccessRequest'>> {
  const { decision, role = 'viewer' } = body;
  return decideRequest(parts, caller, params, { decision, role }, base);
}

function present({ id, created_time, ...row }: NamedAccessRequest): AccessRequest {
  return { ...row, id: String(id), created_time: toTimestamp(created_time) };
}
