// Parameters of documents, and their variants: named sets of values, each with a rendering, a schedule and its readers.
// Not in the contract.
import { endpoint } from '../endpoint.ts';
import { Closed, DateTime, Nullable, OneOf, PathUuid, Type, type Static } from '../schema.ts';
import { Schedule } from './runs.ts';

const base = { group: 'variants', access: 'user', origin: 'addition', kept: false } as const;
const params = Type.Object({ guid: PathUuid });
const one = Type.Object({
  guid: PathUuid,
  key: Type.String({
    pattern: '^(default|[A-Za-z0-9]{16})$',
    'x-form': '"default" or 16 letters and digits',
    'x-error': 3,
    description: '`default` for the document with the values of its source',
  }),
});
const errors = [400, 401, 403, 404] as const;

/** Values of parameters: a list of text or numbers if it accepts several. */
export type ParameterValue = string | number | boolean | null | readonly (string | number)[];
const AnyValue = (description: string) => Type.Unsafe<ParameterValue>({ description });

export const PARAMETER_INPUTS = [
  'text',
  'number',
  'slider',
  'date',
  'datetime',
  'checkbox',
  'select',
  'radio',
  'password',
  'file',
] as const;

export const Parameter = Closed({
  name: Type.String(),
  label: Type.String(),
  help: Nullable(Type.String()),
  input: OneOf(PARAMETER_INPUTS, {
    description: '`password` and `file` cannot be set: they keep their default',
  }),
  value: AnyValue('The default; null where the document computes it'),
  expression: Nullable(Type.String({ description: 'What the default is computed by; null for a fixed one' })),
  choices: Nullable(Type.Array(Closed({ label: Type.String(), value: AnyValue('Text or a number') }))),
  multiple: Type.Boolean({ description: 'Whether it takes a list of values' }),
  min: AnyValue('A number, or a date; null for no limit'),
  max: AnyValue('A number, or a date; null for no limit'),
  step: Nullable(Type.Number()),
});
export type Parameter = Static<typeof Parameter>;

export const ContentParameters = Closed({
  parameters: Type.Array(Parameter, {
    description: 'As the source of the active bundle declares them; empty for what takes none',
  }),
  visitors_may_render: Type.Boolean({
    description: 'Whether all who may view the content may render it with values of their own',
  }),
});
export type ContentParameters = Static<typeof ContentParameters>;

export const getContentParameters = endpoint({
  ...base,
  operationId: 'getContentParameters',
  forViewers: true,
  summary: 'List the parameters of a document',
  method: 'GET',
  path: '/v1/content/{guid}/parameters',
  params,
  status: 200,
  response: ContentParameters,
  errors,
});

export const setVisitorRendering = endpoint({
  ...base,
  operationId: 'setVisitorRendering',
  summary: 'Set whether visitors may render a document with values of their own',
  method: 'PATCH',
  path: '/v1/content/{guid}/parameters',
  params,
  body: Type.Object({ visitors_may_render: Type.Boolean({ 'x-error': 25 }) }),
  status: 200,
  response: ContentParameters,
  errors,
});

const Values = Type.Record(Type.String(), AnyValue('As the parameter takes it'), {
  description: 'By the name of the parameter; those that are left out have their default',
});

export const ContentVariant = Closed({
  key: Type.String(),
  name: Type.String({ description: 'Empty where a visitor rendered with own values' }),
  is_default: Type.Boolean(),
  ad_hoc: Type.Boolean({ description: 'Rendered with own values: it has no schedule, and ends' }),
  visibility: OneOf(['public', 'private'], {
    description:
      '`private`: for who made it, the owner and collaborators; `public`: for all who may view the content',
  }),
  values: Values,
  url: Type.String({ description: 'Where it is opened' }),
  user_guid: Nullable(Type.String({ description: 'Who made it; null for the default' })),
  bundle_id: Nullable(
    Type.String({ description: 'That it was rendered from; null before its first rendering' }),
  ),
  rendering_id: Nullable(Type.Integer()),
  rendered_time: Nullable(DateTime),
  task_id: Nullable(Type.String({ description: 'That renders it, or did so last' })),
  schedule: Nullable(Schedule),
  created_time: DateTime,
  expires_time: Nullable(
    Type.String({ format: 'date-time', description: 'When it is removed; null: it stays' }),
  ),
  held: Nullable(
    Closed(
      {
        bundle_id: Type.String(),
        task_id: Type.String(),
        values: Values,
        reason: Type.String({ description: 'What it lacks, in words' }),
        url: Type.String({ description: 'Where collaborators open it' }),
        created_time: DateTime,
      },
      {
        description:
          'The last rendering, where it shrank by more than `shrink_limit` of the canary rule and nobody has shown or discarded it; null to those who may not open drafts',
      },
    ),
  ),
});
export type ContentVariant = Static<typeof ContentVariant>;

const changes = {
  values: Type.Optional(
    Type.Unsafe<Record<string, ParameterValue>>({
      type: 'object',
      maxProperties: 100,
      'x-error': 25,
      description:
        'By the name of the parameter, as its type or as text; those that are left out have their default',
    }),
  ),
  visibility: Type.Optional(OneOf(['public', 'private'], { 'x-error': 25, description: 'Default: private' })),
  schedule: Type.Optional(
    Type.Unsafe<{ cron: string; timezone?: string } | null>({
      type: ['object', 'null'],
      properties: {
        cron: { type: 'string', minLength: 1, maxLength: 200, 'x-error': 25 },
        timezone: { type: 'string', minLength: 1, maxLength: 64, 'x-error': 25 },
      },
      required: ['cron'],
      'x-error': 25,
      description: 'As in setContentSchedule; null: none',
    }),
  ),
};
const Name = Type.String({
  minLength: 1,
  maxLength: 64,
  'x-error': 74,
  description: 'Of one line, and not `default` (74); no other variant of the content has it in any case (26)',
});

export const getContentVariants = endpoint({
  ...base,
  operationId: 'getContentVariants',
  forViewers: true,
  summary: 'List the variants of a document that the caller may open: the default first, then by name',
  method: 'GET',
  path: '/v1/content/{guid}/variants',
  params,
  status: 200,
  response: Type.Array(ContentVariant),
  errors,
});

export const createContentVariant = endpoint({
  ...base,
  operationId: 'createContentVariant',
  summary: 'Make a variant and start rendering it; with `ad_hoc` one with own values, for a bounded time',
  method: 'POST',
  path: '/v1/content/{guid}/variants',
  params,
  body: Type.Object({
    name: Type.Optional(Name),
    ad_hoc: Type.Optional(
      Type.Boolean({
        'x-error': 25,
        description:
          'Also for visitors, where `visitors_may_render` is set. It has no name, and no schedule (73)',
      }),
    ),
    source_key: Type.Optional(
      Type.String({
        maxLength: 64,
        'x-error': 67,
        description: 'A variant of this content (67, 133) whose values are taken where `values` gives none',
      }),
    ),
    ...changes,
  }),
  status: 200,
  response: ContentVariant,
  errors: [400, 401, 403, 404, 409],
});

export const getContentVariant = endpoint({
  ...base,
  operationId: 'getContentVariant',
  forViewers: true,
  summary: 'Read a variant of a document',
  method: 'GET',
  path: '/v1/content/{guid}/variants/{key}',
  params: one,
  status: 200,
  response: ContentVariant,
  errors,
});

export const updateContentVariant = endpoint({
  ...base,
  operationId: 'updateContentVariant',
  summary: 'Change a variant; other values are rendered at once. The default cannot be changed (39)',
  method: 'PATCH',
  path: '/v1/content/{guid}/variants/{key}',
  params: one,
  body: Type.Object({ name: Type.Optional(Name), ...changes }),
  status: 200,
  response: ContentVariant,
  errors: [400, 401, 403, 404, 409],
});

export const deleteContentVariant = endpoint({
  ...base,
  operationId: 'deleteContentVariant',
  summary: 'Delete a variant with its renderings and its schedule; the default cannot be deleted (39)',
  method: 'DELETE',
  path: '/v1/content/{guid}/variants/{key}',
  params: one,
  status: 204,
  response: 'empty',
  errors,
});

export const renderContentVariant = endpoint({
  ...base,
  operationId: 'renderContentVariant',
  summary: 'Render a variant again from the active bundle',
  method: 'POST',
  path: '/v1/content/{guid}/variants/{key}/render',
  params: one,
  status: 200,
  response: Closed({ task_id: Type.String() }),
  errors,
});

export const promoteContentVariant = endpoint({
  ...base,
  operationId: 'promoteContentVariant',
  summary:
    'Show the rendering of another variant, with its values, as this one: both must be of one bundle (69), it the newer one (70), and this one not under way (100)',
  method: 'POST',
  path: '/v1/content/{guid}/variants/{key}/promote',
  params: one,
  body: Type.Object({
    source_key: Type.String({
      maxLength: 64,
      'x-error': 67,
      description: 'A variant of this content (67, 133) that was rendered (68)',
    }),
  }),
  status: 200,
  response: ContentVariant,
  errors,
});

const heldTask = Type.Optional(
  Type.String({
    maxLength: 64,
    'x-error': 25,
    description:
      '`held.task_id` of the rendering that is decided on; refused with code 100 where another is held',
  }),
);

export const acceptHeldRendering = endpoint({
  ...base,
  operationId: 'acceptHeldRendering',
  visitorKey: false,
  summary: 'Show the rendering of a variant that is held, without rendering it again',
  method: 'POST',
  path: '/v1/content/{guid}/variants/{key}/held/accept',
  params: one,
  body: Type.Object({ task_id: heldTask }),
  bodyOptional: true,
  status: 200,
  response: ContentVariant,
  errors,
});

export const deleteHeldRendering = endpoint({
  ...base,
  operationId: 'deleteHeldRendering',
  summary: 'Discard the rendering of a variant that is held: the variant shows what it showed',
  method: 'DELETE',
  path: '/v1/content/{guid}/variants/{key}/held',
  params: one,
  query: Type.Object({ task_id: heldTask }),
  status: 204,
  response: 'empty',
  errors,
});

export const getContentVariantPicture = endpoint({
  ...base,
  operationId: 'getContentVariantPicture',
  summary: 'Take a picture of what a variant shows: the first screen, for those who work on the content',
  method: 'GET',
  path: '/v1/content/{guid}/variants/{key}/picture',
  params: one,
  status: 200,
  response: Closed({ image: Type.String({ description: 'PNG, base64' }) }),
  errors,
});

export const VariantRendering = Closed({
  id: Type.Integer(),
  bundle_id: Type.String(),
  task_id: Type.String(),
  values: Values,
  created_time: DateTime,
  active: Type.Boolean({ description: 'Whether it is the one that is shown' }),
});
export type VariantRendering = Static<typeof VariantRendering>;

export const getContentVariantRenderings = endpoint({
  ...base,
  operationId: 'getContentVariantRenderings',
  forViewers: true,
  summary: 'List the renderings of a variant, the newest first, 100 at most',
  method: 'GET',
  path: '/v1/content/{guid}/variants/{key}/renderings',
  params: one,
  status: 200,
  response: Type.Array(VariantRendering),
  errors,
});
