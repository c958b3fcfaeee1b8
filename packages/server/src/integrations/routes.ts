// OAuth integrations of content: visitor API keys.
import {
  API_KEY_TOKEN,
  errors,
  type Integration,
  type IntegrationAssociation,
} from '@pressroom/api/contract';
import { loadContent } from '../content/commands.ts';
import type { ContentRow } from '../content/store.ts';
import type { ApiRequest, ApiResponse } from '../http/request.ts';
import type { Config } from '../main/config/settings.ts';
import { toTimestamp } from '../platform/clock.ts';
import { exchangeToken, setIntegrations, type Parts } from './commands.ts';
import { findIntegration, integrationOf, offeredIntegrations, roleOf } from './integrations.ts';
import { contentWithVisitorRole } from './store.ts';

export const integrationsRoutes = {
  exchangeVisitorToken,
  getContentIntegrations,
  getIntegration,
  getIntegrationContent,
  getIntegrations,
  setContentIntegrations,
};

function getIntegrations({ config }: Pick<Parts, 'config'>): ApiResponse<'getIntegrations'> {
  return [...offeredIntegrations(config)];
}

function getIntegration(
  { config }: Pick<Parts, 'config'>,
  { params }: ApiRequest<'getIntegration'>,
): ApiResponse<'getIntegration'> {
  return requireIntegration(config, params.integration_guid);
}

async function getIntegrationContent(
  { config, storage }: Pick<Parts, 'config' | 'storage'>,
  { params }: ApiRequest<'getIntegrationContent'>,
): Promise<ApiResponse<'getIntegrationContent'>> {
  const role = roleOf(requireIntegration(config, params.integration_guid));
  const rows = await contentWithVisitorRole(storage.db, role);
  return rows.flatMap((row) => associationsOf(config, row));
}

async function getContentIntegrations(
  { config, storage }: Pick<Parts, 'config' | 'storage'>,
  { params, caller }: ApiRequest<'getContentIntegrations'>,
): Promise<ApiResponse<'getContentIntegrations'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'getContent');
  return associationsOf(config, content);
}

async function setContentIntegrations(
  parts: Parts,
  { params, body, caller }: ApiRequest<'setContentIntegrations'>,
): Promise<void> {
  const guids = body.map((one) => one.oauth_integration_guid);
  await setIntegrations(parts, caller, params.guid, guids);
}

async function exchangeVisitorToken(
  parts: Parts,
  { body, caller, setHeader }: ApiRequest<'exchangeVisitorToken'>,
): Promise<ApiResponse<'exchangeVisitorToken'>> {
  const { key, expires } = await exchangeToken(parts, caller, body.subject_token, body.audience ?? null);
  setHeader('Cache-Control', 'no-store');
  return {
    access_token: key,
    issued_token_type: API_KEY_TOKEN,
    token_type: 'Key',
    expires_in: Math.floor((expires - parts.clock.now()) / 1_000_000),
  };
}

/** @throws ApiError 4 */
function requireIntegration(config: Config, guid: string): Integration {
  const found = findIntegration(config, guid);
  if (!found) throw errors.notFound();
  return found;
}

function associationsOf(
  config: Config,
  content: Pick<ContentRow, 'guid' | 'visitor_role' | 'visitor_role_time'>,
): IntegrationAssociation[] {
  const integration = integrationOf(config, content);
  if (!integration) return [];
  const { guid, name, description, template, auth_type } = integration;
  return [
    {
      app_guid: content.guid,
      created_time: toTimestamp(content.visitor_role_time ?? 0),
      oauth_integration_guid: guid,
      oauth_integration_name: name,
      oauth_integration_description: description,
      oauth_integration_template: template,
      oauth_integration_auth_type: auth_type,
    },
  ];
}
