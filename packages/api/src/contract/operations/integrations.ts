// OAuth integrations of content. There is one kind: visitor API keys, with which an application acts for who visits it
// (ADR 33).
import { endpoint } from '../endpoint.ts';
import { Closed, DateTime, OneOf, PathUuid, Type, Uuid } from '../schema.ts';

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
/** Type of the token that comes with a visitor's requests. */
const USER_SESSION_TOKEN = 'urn:posit:connect:user-session-token';
export const API_KEY_TOKEN = 'urn:posit:connect:api-key';

const base = { origin: 'addition', status: 200 } as const;
const params = Type.Object({ guid: PathUuid });
/** Not `guid`, which is that of a content item: to its API key, another one would be another item. */
const ofIntegration = Type.Object({ integration_guid: PathUuid });
const Template = OneOf(['connect']);
const AuthType = OneOf(['Visitor API Key']);

const Integration = Closed({
  id: Type.String(),
  guid: Uuid,
  name: Type.String(),
  description: Type.String(),
  template: Template,
  auth_type: AuthType,
  config: Closed({
    max_role: OneOf(['Viewer', 'Publisher'], {
      description: 'Maximum role of the keys; `Viewer` reads only',
    }),
  }),
});
export type Integration = Type.Static<typeof Integration>;

const Association = Closed({
  app_guid: Type.String({ format: 'uuid', description: 'GUID of the content item' }),
  created_time: DateTime,
  oauth_integration_guid: Uuid,
  oauth_integration_name: Type.String(),
  oauth_integration_description: Type.String(),
  oauth_integration_template: Template,
  oauth_integration_auth_type: AuthType,
});
export type IntegrationAssociation = Type.Static<typeof Association>;

export const getIntegrations = endpoint({
  ...base,
  operationId: 'getIntegrations',
  group: 'integrations',
  summary: 'List the OAuth integrations for content: visitor API keys, as far as the server allows them',
  method: 'GET',
  path: '/v1/oauth/integrations',
  response: Type.Array(Integration),
  errors: [401],
  access: 'user',
  contentKey: 'own',
});

export const getIntegration = endpoint({
  ...base,
  operationId: 'getIntegration',
  group: 'integrations',
  summary: 'Read an OAuth integration',
  method: 'GET',
  path: '/v1/oauth/integrations/{integration_guid}',
  params: ofIntegration,
  response: Integration,
  errors: [400, 401, 404],
  access: 'user',
  contentKey: 'own',
});

export const getIntegrationContent = endpoint({
  ...base,
  operationId: 'getIntegrationContent',
  group: 'integrations',
  summary: 'List the content items with an OAuth integration',
  method: 'GET',
  path: '/v1/oauth/integrations/{integration_guid}/associations',
  params: ofIntegration,
  response: Type.Array(Association),
  errors: [400, 401, 403, 404],
  access: 'administrator',
});

export const getContentIntegrations = endpoint({
  ...base,
  operationId: 'getContentIntegrations',
  forViewers: true,
  group: 'integrations',
  summary: 'List the OAuth integrations of a content item',
  method: 'GET',
  path: '/v1/content/{guid}/oauth/integrations/associations',
  params,
  response: Type.Array(Association),
  errors: [400, 401, 403, 404],
  access: 'user',
  contentKey: 'own',
});

export const setContentIntegrations = endpoint({
  ...base,
  operationId: 'setContentIntegrations',
  group: 'integrations',
  summary: 'Allow a content item to act for its visitors, or not any more: one OAuth integration at most',
  method: 'PUT',
  path: '/v1/content/{guid}/oauth/integrations/associations',
  params,
  body: Type.Array(
    Closed({
      oauth_integration_guid: Type.String({
        format: 'uuid',
        'x-error': 25,
        description: 'GUID of an integration that the server has',
      }),
    }),
    { maxItems: 1, 'x-error': 25 },
  ),
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404],
  access: 'administrator',
  visitorKey: false,
});

export const exchangeVisitorToken = endpoint({
  ...base,
  operationId: 'exchangeVisitorToken',
  group: 'integrations',
  summary: 'Exchange the token that came with a visitor’s request for an API key of that visitor (RFC 8693)',
  method: 'POST',
  path: '/v1/oauth/integrations/credentials',
  form: true,
  body: Type.Object({
    grant_type: OneOf([TOKEN_EXCHANGE], { 'x-error': 25 }),
    subject_token_type: OneOf([USER_SESSION_TOKEN], { 'x-error': 25 }),
    subject_token: Type.String({
      maxLength: 4096,
      'x-error': 25,
      description: 'Value of the request header `Posit-Connect-User-Session-Token`',
    }),
    requested_token_type: Type.Optional(OneOf([API_KEY_TOKEN], { 'x-error': 25 })),
    audience: Type.Optional(
      Type.String({ format: 'uuid', 'x-error': 25, description: 'GUID of the integration' }),
    ),
  }),
  response: Closed({
    access_token: Type.String({ description: 'The API key' }),
    issued_token_type: OneOf([API_KEY_TOKEN]),
    token_type: OneOf(['Key'], { description: 'Scheme of the `Authorization` header' }),
    expires_in: Type.Integer({ description: 'Seconds until the key expires' }),
  }),
  errors: [400, 401, 403],
  access: 'user',
  contentKey: 'own',
  visitorKey: false,
});
