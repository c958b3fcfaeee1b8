// Package repositories of a content item, used instead of the server's. Not in the contract.
import { endpoint } from '../endpoint.ts';
import { Closed, Nullable, OneOf, PathUuid, Type, type Static } from '../schema.ts';

const base = {
  group: 'content',
  origin: 'addition',
  access: 'user',
  kept: false,
  params: Type.Object({ guid: PathUuid }),
  path: '/v1/content/{guid}/package-sources',
  status: 200,
  errors: [400, 401, 403, 404],
} as const;

const LANGUAGES = ['r', 'python'] as const;
const Username = Nullable(
  Type.String({ maxLength: 255, description: 'With the password; null: none', 'x-error': 25 }),
);

export const PackageSource = Closed({
  language: OneOf(LANGUAGES),
  address: Type.String({ description: '`server`: those of the server' }),
  username: Nullable(Type.String()),
  has_password: Type.Boolean(),
});
export type PackageSource = Static<typeof PackageSource>;

export const getPackageSources = endpoint({
  ...base,
  operationId: 'getPackageSources',
  summary: 'List the package repositories of a content item, in the order in which they are asked',
  method: 'GET',
  response: Type.Array(PackageSource),
});

export const setPackageSources = endpoint({
  ...base,
  operationId: 'setPackageSources',
  summary:
    'Set the package repositories of a content item. A language with any has these and no others; one without has those of the server',
  method: 'PUT',
  body: Type.Object({
    sources: Type.Array(
      Type.Object({
        language: OneOf(LANGUAGES, { 'x-error': 25 }),
        address: Type.String({
          minLength: 1,
          maxLength: 2000,
          'x-error': 25,
          description:
            'https:// or http:// with the layout of CRAN or a Python index (PEP 503), file:// below Packages.ContentDirectories, or `server` for those of the server. Without a user or a password',
        }),
        username: Type.Optional(Username),
        password: Type.Optional(
          Nullable(
            Type.String({
              minLength: 1,
              maxLength: 4096,
              'x-error': 25,
              description:
                'Password or token, over https:// only; never returned. Left out: as it is for this address and username; null: none',
            }),
          ),
        ),
      }),
      { maxItems: 10, 'x-error': 25 },
    ),
  }),
  response: Type.Array(PackageSource),
});
