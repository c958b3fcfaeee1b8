// Content items (contract, 4.3), their GA forms, and related operations that publishing clients expect.
import { endpoint, twoForms } from '../endpoint.ts';
import { APP_MODES } from '../kind-row.ts';
import { APP_MODES_GA } from '../kinds.ts';
import {
  Closed,
  DateTime,
  Nullable,
  NumericId,
  OneOf,
  PathUuid,
  Type,
  Uuid,
  type Static,
  type TSchema,
} from '../schema.ts';

export const ACCESS_TYPES = ['all', 'logged_in', 'acl'] as const;

/** Maximum timeout of a content item, in seconds. */
const MAX_TIMEOUT = 2_592_000;
const seconds = () => Nullable(Type.Integer({ minimum: 0, maximum: MAX_TIMEOUT, 'x-error': 13 }));
const count = (minimum: number) => Nullable(Type.Integer({ minimum, maximum: 2 ** 31 - 1, 'x-error': 13 }));

/** Process settings of content; null for the server's setting of the same name. */
const scheduler = {
  connection_timeout: seconds(),
  read_timeout: seconds(),
  init_timeout: seconds(),
  idle_timeout: seconds(),
  max_processes: count(1),
  min_processes: count(0),
  max_conns_per_process: count(1),
  load_factor: Nullable(Type.Number({ minimum: 0, maximum: 1, 'x-error': 13 })),
};

const described = {
  guid: Uuid,
  name: Type.String(),
  title: Nullable(Type.String()),
  description: Type.String(),
  access_type: OneOf(ACCESS_TYPES),
  ...scheduler,
  created_time: DateTime,
  last_deployed_time: Type.String({
    format: 'date-time',
    description: 'The creation, until the first deploy',
  }),
  bundle_id: Nullable(Type.String()),
  app_mode: OneOf(APP_MODES),
  content_category: Type.String(),
  r_version: Nullable(Type.String()),
  py_version: Nullable(Type.String()),
  run_as: Nullable(Type.String()),
  run_as_current_user: Type.Boolean(),
  owner_guid: Uuid,
};
const role = OneOf(['owner', 'editor', 'viewer', 'none']);

export const Content = Closed({
  ...described,
  has_parameters: Type.Boolean(),
  needs_config: Type.Boolean({ description: 'True until the first successful deploy' }),
  url: Type.String(),
  role,
});
export type Content = Static<typeof Content>;

export const ContentGa = Closed({
  id: Type.Optional(
    Type.String({ description: 'What older clients keep for their next deploy; here the guid' }),
  ),
  ...described,
  app_mode: OneOf(APP_MODES_GA),
  locked: Type.Boolean({ description: 'Shown to its collaborators only' }),
  locked_message: Type.String({ description: 'For the others' }),
  parameterized: Type.Boolean(),
  content_url: Type.String(),
  dashboard_url: Type.String(),
  app_role: role,
  owner: Type.Optional(
    Closed(
      {
        guid: Uuid,
        username: Type.String(),
        first_name: Type.String(),
        last_name: Type.String(),
      },
      { description: 'With `include=owner`; names are empty where the caller may not see the account' },
    ),
  ),
  tags: Type.Optional(
    Type.Array(Closed({ id: Type.String(), name: Type.String() }), {
      description: 'With `include=tags`',
    }),
  ),
  vanity_url: Type.Optional(Nullable(Type.String({ description: 'With `include=vanity_url`' }))),
});
export type ContentGa = Static<typeof ContentGa>;

const NAME_FORM = '3 to 64 letters, digits, "-" and "_"';
const ContentName = Type.String({ pattern: '^[A-Za-z0-9_-]{3,64}$', 'x-form': NAME_FORM, 'x-error': 5 });
const writable = {
  title: Type.Optional(Nullable(Type.String({ minLength: 3, maxLength: 1024, 'x-error': 122 }))),
  description: Type.Optional(Nullable(Type.String({ maxLength: 4096, 'x-error': 123 }))),
  access_type: Type.Optional(Nullable(OneOf(ACCESS_TYPES, { 'x-error': 117 }))),
  connection_timeout: Type.Optional(scheduler.connection_timeout),
  read_timeout: Type.Optional(scheduler.read_timeout),
  init_timeout: Type.Optional(scheduler.init_timeout),
  idle_timeout: Type.Optional(scheduler.idle_timeout),
  max_processes: Type.Optional(scheduler.max_processes),
  min_processes: Type.Optional(scheduler.min_processes),
  max_conns_per_process: Type.Optional(scheduler.max_conns_per_process),
  load_factor: Type.Optional(scheduler.load_factor),
};
/** Read-only in the contract (section 2, Content); the GA form lets administrators choose it. */
const runAs = { run_as: Type.Optional(Nullable(Type.String({ maxLength: 256, 'x-error': 57 }))) };
/**
 * Fixed by the first deploy (section 3): ignored before, and accepted afterwards if unchanged. A value of another type
 * counts as changed.
 */
const kept = <S extends TSchema>(type: S, code: number) =>
  Type.Optional(
    Type.Unsafe<Static<S> | null>({
      anyOf: [Nullable(type), {}],
      description: `Read-only; another value than that of deployed content is error ${code}`,
    }),
  );
/** Fields read by createContent; others are ignored. */
const NewContent = Type.Object({ name: ContentName, ...writable });
/** Current servers treat an empty name or title as none. */
const writableGa = {
  ...writable,
  name: Type.Optional(
    Nullable(
      Type.String({
        pattern: '^([A-Za-z0-9_-]{3,64})?$',
        'x-form': NAME_FORM,
        'x-error': 5,
        description: 'Empty or absent: the server makes one up, or keeps the one it has',
      }),
    ),
  ),
  title: Type.Optional(
    Nullable(
      Type.String({
        pattern: '^([\\s\\S]{3,})?$',
        'x-form': '3 to 1024 characters',
        maxLength: 1024,
        'x-error': 122,
        description: '3 to 1024 characters; empty: none',
      }),
    ),
  ),
  ...runAs,
};
export const NewContentGa = Type.Object(writableGa);
export type NewContentGa = Static<typeof NewContentGa>;
/** Fields read by updateContent; others are ignored. */
const ContentChanges = Type.Object({
  name: Type.Optional(ContentName),
  ...writable,
  app_mode: kept(Type.String(), 48),
  content_category: kept(Type.String(), 110),
  has_parameters: kept(Type.Boolean(), 111),
});
export type ContentChanges = Static<typeof ContentChanges>;
export const ContentChangesGa = Type.Object({
  ...writableGa,
  owner_guid: Type.Optional(
    Nullable(
      Type.String({
        format: 'uuid',
        'x-error': 3,
        description: 'Another owner, who must be a publisher or administrator. For administrators',
      }),
    ),
  ),
  locked: Type.Optional(
    Nullable(Type.Boolean({ description: 'Content is shown to its collaborators only. For administrators' })),
  ),
  locked_message: Type.Optional(
    Nullable(Type.String({ maxLength: 1024, 'x-error': 25, description: 'For the others' })),
  ),
});
export type ContentChangesGa = Static<typeof ContentChangesGa>;

export const DeploymentInstructions = Type.Object({
  bundle_id: Type.Optional(Nullable(NumericId)),
});
const Activate = Type.Optional(
  Nullable(
    Type.Boolean({
      description:
        'False: the bundle is deployed as a draft, and what is active stays; not for the active bundle (39)',
    }),
  ),
);
/** Preview names are part of addresses. */
export const PREVIEW_NAME = '^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$';
const Preview = Type.Optional(
  Nullable(
    Type.String({
      pattern: PREVIEW_NAME,
      'x-form':
        '1 to 63 lower-case letters, digits, ".", "_" and "-", the first and the last a letter or digit',
      'x-error': 25,
      description:
        'With `activate: false`: the draft is shown at the address of this preview, in place of the draft before. Lower-case letters, digits, `.`, `_` and `-`, 63 at most',
    }),
  ),
);
/** Options of deploys that are not in the contract. */
export const MAX_SHARE = 50;
export const MAX_CANARY_SECONDS = 7 * 86_400;
const Canary = Type.Optional(
  Nullable(
    Type.Object(
      {
        share: Type.Integer({
          minimum: 0,
          maximum: MAX_SHARE,
          'x-error': 25,
          description:
            'Percent of new sessions; 0: it goes live at once, whatever the rule of the content says',
        }),
        length: Type.Optional(
          Type.Integer({ minimum: 60, maximum: MAX_CANARY_SECONDS, 'x-error': 25, description: 'Seconds' }),
        ),
      },
      {
        description:
          'The bundle takes a share of new sessions before it goes live; when absent, as the rule of the content says',
      },
    ),
  ),
);
const DraftTask = Type.Optional(
  Nullable(
    Type.String({
      maxLength: 64,
      'x-error': 25,
      description:
        '`task_id` of the draft or canary that goes live; refused with code 100 where it has ended, or another has replaced it. Without it, a rendering that shrank by more than `shrink_limit` of the canary rule is held once',
    }),
  ),
);
export const draftFields = {
  activate: Activate,
  preview: Preview,
  canary: Canary,
  draft_task_id: DraftTask,
};
const DeploymentInstructionsGa = Type.Object({ ...DeploymentInstructions.properties, ...draftFields });
export const DeploymentTask = Closed({ task_id: Type.String() });
const params = Type.Object({ guid: PathUuid });

export const createContent = twoForms({
  operationId: 'createContent',
  group: 'content',
  summary: 'Create a content item',
  method: 'POST',
  status: 200,
  access: 'publisher',
  experimental: {
    path: '/v1/experimental/content',
    body: NewContent,
    response: Content,
    errors: [400, 401, 403, 404],
  },
  stable: {
    path: '/v1/content',
    body: NewContentGa,
    response: ContentGa,
    errors: [400, 401, 403, 404, 409],
  },
});

/** Additions to a response; unknown names are ignored. */
const include = Type.Optional(
  Type.String({
    maxLength: 256,
    description: 'Of `owner`, `tags` and `vanity_url` those wanted, comma-separated',
  }),
);

export const listContentGa = endpoint({
  operationId: 'listContentGa',
  group: 'content',
  summary: 'List the content items the caller may see, by name and owner where given',
  method: 'GET',
  path: '/v1/content',
  query: Type.Object({
    name: Type.Optional(Type.String()),
    owner_guid: Type.Optional(Type.String({ format: 'uuid', 'x-error': 3 })),
    include,
  }),
  status: 200,
  response: Type.Array(ContentGa),
  errors: [400, 401],
  access: 'user',
  origin: 'ga',
});

export const getContent = twoForms({
  operationId: 'getContent',
  contentKey: 'both',
  group: 'content',
  summary: 'Read one content item',
  method: 'GET',
  params,
  status: 200,
  access: 'user',
  experimental: { path: '/v1/experimental/content/{guid}', response: Content, errors: [400, 401, 404] },
  stable: {
    path: '/v1/content/{guid}',
    query: Type.Object({ include }),
    response: ContentGa,
    errors: [400, 401, 403, 404],
  },
});

export const updateContent = twoForms({
  operationId: 'updateContent',
  contentKey: 'own',
  group: 'content',
  summary: 'Change a content item',
  method: 'POST',
  params,
  status: 200,
  access: 'publisher',
  experimental: {
    path: '/v1/experimental/content/{guid}',
    body: ContentChanges,
    response: Content,
    errors: [400, 401, 403, 404],
  },
  stable: {
    path: '/v1/content/{guid}',
    method: 'PATCH',
    body: ContentChangesGa,
    response: ContentGa,
    errors: [400, 401, 403, 404, 409],
  },
});

export const deleteContent = twoForms({
  operationId: 'deleteContent',
  group: 'content',
  summary: 'Delete a content item with its bundles and everything on disk',
  method: 'DELETE',
  params,
  status: 204,
  response: 'empty',
  access: 'user',
  experimental: { path: '/v1/experimental/content/{guid}', errors: [400, 401, 404] },
  stable: { path: '/v1/content/{guid}', errors: [400, 401, 403, 404] },
});

export const deployContentBundle = twoForms({
  operationId: 'deployContentBundle',
  contentKey: 'both',
  group: 'content',
  summary: 'Start the deploy of a bundle',
  method: 'POST',
  params,
  bodyOptional: true,
  status: 200,
  response: DeploymentTask,
  access: 'user',
  experimental: {
    path: '/v1/experimental/content/{guid}/deploy',
    body: DeploymentInstructions,
    errors: [400, 401, 404],
  },
  stable: {
    path: '/v1/content/{guid}/deploy',
    body: DeploymentInstructionsGa,
    errors: [400, 401, 403, 404],
  },
});
