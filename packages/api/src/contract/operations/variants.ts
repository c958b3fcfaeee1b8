// Variants of documents and their schedules, for older clients. A document has one variant, with its own parameters.
import { endpoint } from '../endpoint.ts';
import {
  Closed,
  DateTime,
  Defaulted,
  Int32,
  Nullable,
  PathUuid,
  StoredTime,
  Type,
  Uuid,
  type Static,
} from '../schema.ts';

const params = Type.Object({ guid: PathUuid });
const onItsOwn = {
  group: 'runs',
  status: 200,
  errors: [400, 401, 403, 404],
  access: 'user',
  origin: 'addition',
} as const;
const base = { ...onItsOwn, params } as const;

const VariantId = Type.Integer({
  description: 'The number of the bundle that it is rendered from: another one after each deploy',
});
const NoNumber = Type.Null({ description: 'A number on other servers; content has none here' });
/** Either identifies the document's only variant. */
const variant = {
  ...onItsOwn,
  params: Type.Object({
    id: Type.String({
      pattern: '^([0-9]{1,15}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$',
      'x-form': 'a number of 1 to 15 digits or a UUID',
      'x-error': 3,
      description: 'The id of the variant, or the guid of its content',
    }),
  }),
} as const;

export const Variant = Closed({
  id: VariantId,
  app_id: NoNumber,
  key: Type.String(),
  bundle_id: Type.Integer(),
  is_default: Type.Boolean(),
  name: Type.String(),
  email_collaborators: Type.Boolean(),
  email_viewers: Type.Boolean(),
  email_all: Type.Boolean(),
  created_time: DateTime,
  rendering_id: Type.Integer(),
  render_time: DateTime,
  render_duration: Nullable(Type.Integer({ description: 'Null: not recorded' })),
  visibility: Type.String(),
});
export type Variant = Static<typeof Variant>;

export const getVariants = endpoint({
  ...base,
  operationId: 'getVariants',
  summary: 'List the variants of a content item: one of a rendered document, else none',
  method: 'GET',
  path: '/applications/{guid}/variants',
  response: Type.Array(Variant),
});

export const getVariant = endpoint({
  ...variant,
  operationId: 'getVariant',
  summary: 'Read a variant',
  method: 'GET',
  path: '/variants/{id}',
  response: Variant,
});

export const renderVariant = endpoint({
  ...variant,
  operationId: 'renderVariant',
  summary: 'Render a variant again',
  method: 'POST',
  path: '/variants/{id}/render',
  response: Closed({
    id: Type.String({ description: 'Of the task' }),
    user_id: Uuid,
    status: Type.Array(Type.String()),
    last_status: Type.Integer(),
    finished: Type.Boolean(),
    code: Type.Integer(),
    error: Type.String(),
  }),
});

export type Audience = 'me' | 'collaborators' | 'collaborators_viewers';
/** A pattern, as errors repeat values of lists: somebody may give an address. */
const AudienceName = Type.Unsafe<Audience>({
  type: 'string',
  pattern: '^(me|collaborators|collaborators_viewers)$',
  'x-form': '"me", "collaborators" or "collaborators_viewers"',
  'x-error': 25,
});

export const mailVariant = endpoint({
  ...variant,
  operationId: 'mailVariant',
  summary:
    'Mail the current rendering of a variant to the caller, to the collaborators or to everybody with a permission, for older clients',
  method: 'POST',
  path: '/variants/{id}/sender',
  query: Type.Object({
    email: Defaulted(AudienceName, 'me'),
    rendering_id: Type.Optional(
      Int32({ 'x-error': 3, description: 'Must be the current one: others are error 4' }),
    ),
  }),
  response: Closed({ mails: Type.Integer({ description: 'How many are on their way' }) }),
});

export const Rendering = Closed({
  id: Type.Integer(),
  app_id: NoNumber,
  app_guid: Uuid,
  variant_id: VariantId,
  variant_key: Type.String(),
  bundle_id: Type.Integer(),
  job_key: Type.String({ description: 'Of its job, until the task is dropped' }),
  render_time: DateTime,
  render_duration: Nullable(Type.Integer({ description: 'Null: not recorded' })),
  active: Type.Boolean({ description: 'Whether visitors see it' }),
});
export type Rendering = Static<typeof Rendering>;

export const getVariantRenderings = endpoint({
  ...variant,
  operationId: 'getVariantRenderings',
  summary: 'List the renderings of a variant, the newest first, 100 at most',
  method: 'GET',
  path: '/variants/{id}/renderings',
  response: Type.Array(Rendering),
});

export const VariantSchedule = Closed({
  id: Type.String({ format: 'uuid', description: 'The guid of the content' }),
  app_id: Uuid,
  variant_id: Uuid,
  type: Type.String({
    description: 'As in setVariantSchedule; `cron` for a schedule that was set otherwise',
  }),
  schedule: Type.String({ description: 'JSON' }),
  start_time: Type.String({ format: 'date-time', description: 'The next run' }),
  timezone: Type.String(),
  activate: Type.Boolean(),
  email: Type.Boolean(),
  next_run: Nullable(DateTime),
});
export type VariantSchedule = Static<typeof VariantSchedule>;

export const getVariantSchedules = endpoint({
  ...variant,
  operationId: 'getVariantSchedules',
  summary: 'List the schedules of a variant: one at most',
  method: 'GET',
  path: '/variants/{id}/schedules',
  response: Type.Array(VariantSchedule),
});

export const getSchedule = endpoint({
  ...base,
  operationId: 'getSchedule',
  summary: 'Read a schedule, for older clients',
  method: 'GET',
  path: '/schedules/{guid}',
  response: VariantSchedule,
});

export const getSchedules = endpoint({
  ...onItsOwn,
  operationId: 'getSchedules',
  summary:
    'List the schedules, of content that the caller may see, by which something is rendered in an interval',
  method: 'GET',
  path: '/v1/experimental/schedules',
  kept: false,
  query: Type.Object({
    start: Type.Optional(
      Type.String({
        format: 'date-time',
        'x-error': 136,
        description: 'Default now; with `end`. Not in the past (137), nor more than 5 years ahead',
      }),
    ),
    end: Type.Optional(
      Type.String({
        format: 'date-time',
        'x-error': 136,
        description: 'Default a week from now; at most a year after `start` (139)',
      }),
    ),
  }),
  errors: [400, 401],
  response: Closed({
    schedules: Type.Array(VariantSchedule, { description: '`next_run` is the first one of the interval' }),
  }),
});

const recurrence = {
  type: Type.String({
    maxLength: 20,
    'x-error': 25,
    description:
      '`minute`, `hour`, `day`, `week`, `year` (schedule `{"N": 1}`), `weekday` (`{}`), `dayofweek` (`{"Days": [1]}`), ' +
      '`semimonth` (`{"First": true}`), `dayofmonth` (`{"N": 1, "Day": 1}`), `dayweekofmonth` (`{"N": 1, "Day": 1, "Week": 1}`)',
  }),
  schedule: Type.Unsafe<string | Record<string, unknown>>({
    anyOf: [{ type: 'string', maxLength: 500 }, { type: 'object' }],
    'x-form': 'an object, or its JSON in at most 500 characters',
    'x-error': 25,
    description: 'An object, or its JSON',
  }),
  start_time: Type.Optional(
    Nullable(StoredTime('A time at which it runs, such as the first run; default now, or as it was')),
  ),
  timezone: Type.Optional(
    Nullable(Type.String({ maxLength: 64, 'x-error': 25, description: 'Default UTC' })),
  ),
  activate: Type.Optional(
    Type.Unsafe<true | null>({
      enum: [true, null],
      'x-form': 'true, because what is rendered is shown',
      'x-error': 39,
      description: 'What is rendered is shown: false is refused',
    }),
  ),
  email: Type.Optional(
    Type.Unsafe<false | null>({
      enum: [false, null],
      'x-form': 'false, because renderings are not mailed',
      'x-error': 39,
      description: 'Renderings are not mailed: true is refused',
    }),
  ),
};

export const createSchedule = endpoint({
  ...onItsOwn,
  errors: [400, 401, 403, 404, 409],
  operationId: 'createSchedule',
  summary: 'Set when a document is rendered again, for older clients',
  method: 'POST',
  path: '/schedules',
  body: Type.Object({
    app_id: Type.Optional(
      Nullable(Type.String({ format: 'uuid', 'x-error': 3, description: 'Must be that of the variant' })),
    ),
    variant_id: Type.Unsafe<string | number>({
      anyOf: [
        { type: 'integer', minimum: 1 },
        { type: 'string', format: 'uuid' },
      ],
      'x-form': 'a whole number or a UUID',
      'x-error': 3,
      description: 'The id of the variant, or the guid of its content',
    }),
    ...recurrence,
  }),
  response: VariantSchedule,
});

export const updateSchedule = endpoint({
  ...base,
  operationId: 'updateSchedule',
  summary: 'Change when a document is rendered again, for older clients',
  method: 'POST',
  path: '/schedules/{guid}',
  body: Type.Object(recurrence),
  response: VariantSchedule,
});

export const deleteSchedule = endpoint({
  ...base,
  operationId: 'deleteSchedule',
  summary: 'Stop rendering a document on a schedule, for older clients',
  method: 'DELETE',
  path: '/schedules/{guid}',
  status: 204,
  response: 'empty',
});
