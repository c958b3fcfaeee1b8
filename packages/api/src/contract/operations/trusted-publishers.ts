// Trusted publishers: CI pipelines that deploy with their OpenID Connect token instead of a stored key; not in the
// contract.
import { endpoint } from '../endpoint.ts';
import { Closed, DateTime, Nullable, NumericId, PathUuid, Type, Uuid, type Static } from '../schema.ts';

const base = { group: 'runs', origin: 'addition', kept: false } as const;
const errors = [400, 401, 403, 404] as const;
const params = Type.Object({ guid: PathUuid });
const path = '/v1/content/{guid}/trusted-publishers';

/** Text of a claim, as the CI has it. */
const Claim = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: '^[^\\u0000-\\u001f\\u007f]+$',
    'x-form': '1 to 255 characters in one line',
    description,
    'x-error': 25,
  });

export const TrustedPublisher = Closed({
  id: Type.String(),
  issuer: Type.String(),
  repository: Type.String(),
  branch: Nullable(Type.String()),
  environment: Nullable(Type.String()),
  drafts_only: Type.Boolean(),
  user_guid: Uuid,
  username: Type.String({ description: 'With whose rights it deploys' }),
  created_time: DateTime,
  last_used_time: Nullable(DateTime),
});
export type TrustedPublisher = Static<typeof TrustedPublisher>;

export const getTrustedPublishers = endpoint({
  ...base,
  operationId: 'getTrustedPublishers',
  summary: 'List the pipelines that may deploy a content item without a stored key',
  method: 'GET',
  path,
  access: 'user',
  params,
  status: 200,
  response: Type.Array(TrustedPublisher),
  errors,
});

export const addTrustedPublisher = endpoint({
  ...base,
  operationId: 'addTrustedPublisher',
  visitorKey: false,
  summary: 'Let a pipeline deploy a content item with the token of its CI, and the rights of the caller',
  method: 'POST',
  path,
  access: 'publisher',
  params,
  body: Type.Object({
    issuer: Claim('Who signs the tokens of the CI; one of the setting CI.Issuers'),
    repository: Type.String({
      ...Claim('`owner/name` on GitHub, the path of the project on GitLab'),
      // The characters that GitHub and GitLab permit.
      pattern: '^[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+$',
      examples: ['acme/reports'],
      'x-form': 'owner/name, such as acme/reports: not an address, and without a branch',
    }),
    branch: Type.Optional(Nullable(Claim('That the pipeline runs on; null: any, pull requests too'))),
    environment: Type.Optional(Nullable(Claim('Of the job; null: any, or none'))),
    drafts_only: Type.Optional(
      Type.Boolean({ description: 'It deploys drafts and previews; nothing goes live', 'x-error': 25 }),
    ),
  }),
  status: 200,
  response: TrustedPublisher,
  errors,
});

export const removeTrustedPublisher = endpoint({
  ...base,
  operationId: 'removeTrustedPublisher',
  visitorKey: false,
  summary: 'Remove a trusted publisher; the keys that it got end',
  method: 'DELETE',
  path: `${path}/{id}`,
  access: 'user',
  params: Type.Object({ guid: PathUuid, id: NumericId }),
  status: 204,
  response: 'empty',
  errors,
});

export const PublishingKey = Closed({
  key: Type.String({ description: 'An API key for this content item; it deploys and nothing else' }),
  content_guid: Uuid,
  drafts_only: Type.Boolean(),
  expires_time: DateTime,
});
export type PublishingKey = Static<typeof PublishingKey>;

export const exchangeCiToken = endpoint({
  ...base,
  operationId: 'exchangeCiToken',
  summary:
    'Exchange the OpenID Connect token of a CI for an API key for one content item; its audience is the address of the server. Each token is good once',
  method: 'POST',
  path: '/v1/ci/token',
  access: 'anyone',
  body: Type.Object({
    content_guid: Type.String({ format: 'uuid', 'x-error': 3 }),
    token: Type.String({ minLength: 1, maxLength: 16_384, 'x-error': 25 }),
  }),
  status: 200,
  response: PublishingKey,
  errors: [400, 401, 403],
});
