// API operations on trusted publishers.
import type { TrustedPublisher } from '@pressroom/api/contract';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import { toTimestamp } from '../../platform/clock.ts';
import {
  addTrustedPublisher as addCommand,
  exchangeToken,
  removeTrustedPublisher as removeCommand,
  trustedPublishersOf,
} from './commands.ts';
import type { Parts } from './parts.ts';
import type { NamedTrustedPublisher } from './store.ts';

export const trustedPublishersRoutes = {
  addTrustedPublisher,
  exchangeCiToken,
  getTrustedPublishers,
  removeTrustedPublisher,
};

async function getTrustedPublishers(
  parts: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getTrustedPublishers'>,
): Promise<ApiResponse<'getTrustedPublishers'>> {
  return (await trustedPublishersOf(parts, caller, params.guid)).map(present);
}

async function addTrustedPublisher(
  parts: Pick<Parts, 'config' | 'storage' | 'clock' | 'audit' | 'ciTokens'>,
  { params, body, caller }: ApiRequest<'addTrustedPublisher'>,
): Promise<ApiResponse<'addTrustedPublisher'>> {
  const { issuer, repository, branch = null, environment = null, drafts_only: draftsOnly = false } = body;
  const wanted = { issuer, repository, branch, environment, draftsOnly };
  return present(await addCommand(parts, caller, params.guid, wanted));
}

async function removeTrustedPublisher(
  parts: Pick<Parts, 'storage' | 'audit' | 'authenticator'>,
  { params, caller }: ApiRequest<'removeTrustedPublisher'>,
): Promise<ApiResponse<'removeTrustedPublisher'>> {
  await removeCommand(parts, caller, params.guid, params.id);
}

/** Exchanges a CI token for a key. */
async function exchangeCiToken(
  parts: Pick<Parts, 'storage' | 'clock' | 'ids' | 'audit' | 'ciTokens'>,
  { body }: ApiRequest<'exchangeCiToken'>,
): Promise<ApiResponse<'exchangeCiToken'>> {
  const { key, contentGuid, draftsOnly, expires } = await exchangeToken(parts, body.content_guid, body.token);
  return {
    key,
    content_guid: contentGuid,
    drafts_only: draftsOnly,
    expires_time: toTimestamp(expires),
  };
}

function present(row: NamedTrustedPublisher): TrustedPublisher {
  const { id, issuer, repository, branch, environment, user_guid, username } = row;
  return {
    id: String(id),
    issuer,
    repository,
    branch,
    environment,
    drafts_only: row.drafts_only === 1,
    user_guid,
    username,
    created_time: toTimestamp(row.created_time),
    last_used_time: row.last_used_time === null ? null : toTimestamp(row.last_used_time),
  };
}
