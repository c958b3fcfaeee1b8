// Usage instrumentation (contract, 4.5).
import { endpoint } from '../endpoint.ts';
import {
  Closed,
  DateTime,
  Defaulted,
  Int32,
  KeysetPageOf,
  Limit,
  Nullable,
  OneOf,
  Type,
  Uuid,
  type Static,
} from '../schema.ts';

export const ContentVisit = Closed({
  content_guid: Uuid,
  user_guid: Type.String({ format: 'uuid', description: 'The nil UUID for a visitor without an account' }),
  variant_key: Nullable(Type.String()),
  time: DateTime,
  rendering_id: Nullable(Type.Integer()),
  bundle_id: Type.Integer(),
  data_version: Type.Integer(),
  path: Type.Optional(
    Nullable(
      Type.String({
        description:
          'Beside the contract: below the address of the content; null for visits before it was recorded',
      }),
    ),
  ),
});
export type ContentVisit = Static<typeof ContentVisit>;

export const ShinyAppUsage = Closed({
  content_guid: Uuid,
  user_guid: Type.String({ format: 'uuid', description: 'The nil UUID for a visitor without an account' }),
  started: DateTime,
  ended: Nullable(Type.String({ format: 'date-time', description: 'Null while the session is open' })),
  data_version: Type.Integer(),
});
export type ShinyAppUsage = Static<typeof ShinyAppUsage>;

export const ContentHit = Closed({
  id: Type.Integer(),
  user_guid: Nullable(Type.String({ format: 'uuid', description: 'Null for a visitor without an account' })),
  content_guid: Uuid,
  timestamp: DateTime,
  data: Closed({
    path: Nullable(
      Type.String({ description: 'Below the address of the content; null for a session, or not recorded' }),
    ),
    user_agent: Nullable(Type.String({ description: 'Null: not recorded' })),
  }),
});
export type ContentHit = Static<typeof ContentHit>;

export const UsageTotals = Closed({
  visits: Type.Integer(),
  sessions: Type.Integer(),
  unique_users: Type.Integer({ description: 'Visitors with an account' }),
  anonymous: Type.Integer({ description: 'Visits and sessions without an account' }),
  session_time: Type.Integer({ description: 'Milliseconds that finished sessions lasted together' }),
  previous: Type.Integer({ description: 'Visits and sessions in the time before, of the same length' }),
  series: Type.Array(
    Closed({
      key: Type.String({ description: 'A day in UTC (`2026-01-31`) or the GUID of a user' }),
      visits: Type.Integer(),
      sessions: Type.Integer(),
    }),
    { description: 'Days in order, or users, without those that have nothing' },
  ),
  contents: Type.Array(Closed({ guid: Uuid, count: Type.Integer() })),
});
export type UsageTotals = Static<typeof UsageTotals>;

const content_guid = Type.Optional(
  Type.String({ description: 'One GUID, or several joined with `|`', 'x-error': 11, maxLength: 8192 }),
);
const shared = Type.Optional(
  Type.Boolean({ description: 'Also content that the caller works on; by default only their own' }),
);
const window = {
  from: Type.Optional(Type.String({ format: 'date-time', 'x-error': 136 })),
  to: Type.Optional(Type.String({ format: 'date-time', 'x-error': 136 })),
};
const query = Type.Object({
  content_guid,
  shared,
  min_data_version: Defaulted(Int32({ 'x-error': 25 }), 1),
  ...window,
  limit: Limit,
  previous: Type.Optional(Type.String()),
  next: Type.Optional(Type.String()),
  last: Type.Optional(Type.Boolean({ description: 'The last page; set by `paging.last`' })),
  asc_order: Defaulted(Type.Boolean(), true),
});

export const getContentVisits = endpoint({
  operationId: 'getContentVisits',
  group: 'instrumentation',
  summary: 'Read visits to rendered and static content',
  method: 'GET',
  path: '/v1/instrumentation/content/visits',
  query,
  status: 200,
  response: KeysetPageOf(ContentVisit),
  errors: [400, 401, 403],
  access: 'publisher',
  paging: 'keyset',
  origin: 'contract',
});

export const getShinyAppUsage = endpoint({
  operationId: 'getShinyAppUsage',
  group: 'instrumentation',
  summary: 'Read sessions of Shiny applications',
  method: 'GET',
  path: '/v1/instrumentation/shiny/usage',
  query,
  status: 200,
  response: KeysetPageOf(ShinyAppUsage),
  errors: [400, 401, 403],
  access: 'publisher',
  paging: 'keyset',
  origin: 'contract',
});

export const getUsageSummary = endpoint({
  operationId: 'getUsageSummary',
  group: 'instrumentation',
  summary: 'Sum up visits and sessions that began within a time',
  method: 'GET',
  path: '/v1/instrumentation/summary',
  query: Type.Object({
    content_guid,
    shared,
    from: Type.String({ format: 'date-time', 'x-error': 136 }),
    to: Type.String({ format: 'date-time', 'x-error': 136, description: 'Not part of it' }),
    by: Defaulted(OneOf(['day', 'user'], { 'x-error': 25 }), 'day'),
  }),
  status: 200,
  response: UsageTotals,
  errors: [400, 401, 403],
  access: 'publisher',
  origin: 'addition',
});

export const getContentHits = endpoint({
  operationId: 'getContentHits',
  group: 'instrumentation',
  summary: 'Read visits to content of every kind, sessions included, the oldest first',
  method: 'GET',
  path: '/v1/instrumentation/content/hits',
  query: Type.Object({ content_guid, shared, ...window }),
  status: 200,
  response: Type.Array(ContentHit, { description: 'Error 83 for more than 100,000' }),
  errors: [400, 401, 403],
  access: 'publisher',
  origin: 'addition',
});
