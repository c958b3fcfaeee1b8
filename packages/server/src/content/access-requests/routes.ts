// Requests for access to content over HTTP.
import type { AccessRequest } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { Audit } from '../../audit/record.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import { toTimestamp, type Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/database/storage.ts';
import type { Mailer } from '../../platform/mailer.ts';
import { accessRequestsOf, decideRequest, requestAccess } from './commands.ts';
import type { NamedAccessRequest } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly log: Logger;
  readonly mailer: Mailer | null;
  readonly contentChanged: (guid: string) => void;
}

export const accessRequestsRoutes = {
  decideContentAccessRequest,
  getContentAccessRequests,
  requestContentAccess,
};

/** Asks for access. */
async function requestContentAccess(
  parts: Pick<Parts, 'storage' | 'clock' | 'audit' | 'log' | 'mailer'>,
  { params, body, caller, base }: ApiRequest<'requestContentAccess'>,
): Promise<ApiAnswer<'requestContentAccess'>> {
  const message = body.message?.trim() || null;
  return present(await requestAccess(parts, caller, params.guid, message, base.replace(/\/$/, '')));
}

/** Lists who asks for access. */
async function getContentAccessRequests(
  parts: Pick<Parts, 'storage' | 'clock'>,
  { params, caller }: ApiRequest<'getContentAccessRequests'>,
): Promise<ApiAnswer<'getContentAccessRequests'>> {
  return (await accessRequestsOf(parts, caller, params.guid)).map(present);
}

/** Grants or declines a request. */
function decideContentAccessRequest(
  parts: Pick<Parts, 'storage' | 'clock' | 'audit' | 'contentChanged'>,
  { params, body, caller }: ApiRequest<'decideContentAccessRequest'>,
): Promise<ApiAnswer<'decideContentAccessRequest'>> {
  const { decision, role = 'viewer' } = body;
  return decideRequest(parts, caller, params.guid, params.id, { decision, role });
}

function present({ id, created_time, ...row }: NamedAccessRequest): AccessRequest {
  return { ...row, id: String(id), created_time: toTimestamp(created_time) };
}
