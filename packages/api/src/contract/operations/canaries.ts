// Canaries: bundles that take a share of new sessions before they go live; not in the contract.
import { endpoint } from '../endpoint.ts';
import { Closed, DateTime, Nullable, OneOf, PathUuid, Type, Uuid, type Static } from '../schema.ts';
import { DeploymentTask, MAX_CANARY_SECONDS, MAX_SHARE } from './content.ts';

const base = { group: 'runs', access: 'user', origin: 'addition', kept: false } as const;
const errors = [400, 401, 403, 404] as const;
const params = Type.Object({ guid: PathUuid });
const rule = { ...base, path: '/v1/content/{guid}/canary-rule', params, errors } as const;
const one = { ...base, params, errors } as const;

const shrink_limit = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: 99,
    'x-error': 25,
    description:
      'Of a document: a rendering with so many percent less text, or fewer pictures, than what is shown is held as a draft; null: none is',
  }),
);

const limits = {
  share: Type.Integer({
    minimum: 1,
    maximum: MAX_SHARE,
    'x-error': 25,
    description: 'Percent of new sessions',
  }),
  length: Type.Integer({ minimum: 60, maximum: MAX_CANARY_SECONDS, 'x-error': 25, description: 'Seconds' }),
  error_limit: Type.Integer({
    minimum: 0,
    maximum: 100,
    'x-error': 25,
    description:
      'It is rolled back where the share of its requests that fail is larger than that of the live bundle by more than so many percentage points',
  }),
  slow_limit: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    'x-error': 25,
    description:
      'It is rolled back where nine of ten of its requests take more than so many percent longer; 0: times do not count',
  }),
  health_path: Nullable(
    Type.String({
      pattern: '^/[!-~]{0,199}$',
      'x-form': 'a path that begins with / and has at most 200 characters, without spaces',
      'x-error': 25,
      description: 'Below the address of the content: asked for every few seconds; null for none',
    }),
  ),
  waits: Type.Boolean({ description: 'It goes live when a person says so, and not by itself' }),
};

export const CanaryRule = Closed({
  ...limits,
  shrink_limit,
  user_guid: Type.String({ description: 'Who set the rule' }),
  created_time: DateTime,
});
export type CanaryRule = Static<typeof CanaryRule>;

export const getCanaryRule = endpoint({
  ...rule,
  operationId: 'getCanaryRule',
  summary: 'Read with which share and limits new bundles begin; 404 when they go live at once',
  method: 'GET',
  status: 200,
  response: CanaryRule,
});

export const setCanaryRule = endpoint({
  ...rule,
  operationId: 'setCanaryRule',
  summary:
    'Let every new bundle of an application or API take a share of new sessions before it goes live, and hold renderings of a document that shrank; what is absent is as in the rule before, else the default',
  method: 'PUT',
  body: Type.Partial(Type.Object({ ...limits, shrink_limit })),
  status: 200,
  response: CanaryRule,
});

export const deleteCanaryRule = endpoint({
  ...rule,
  operationId: 'deleteCanaryRule',
  summary: 'Let new bundles go live at once',
  method: 'DELETE',
  status: 204,
  response: 'empty',
});

const Count = Type.Integer();
const CanaryFigures = Closed({
  requests: Type.Integer({ description: 'Answered, without those whose visitor left before' }),
  errors: Type.Integer({ description: 'Answered with a status of 500 or above' }),
  pages: Count,
  script_errors: Type.Integer({
    description: 'Pages on which a script failed; counted in Shiny applications',
  }),
  crashes: Count,
  failed_starts: Count,
  health_checks: Count,
  health_failures: Count,
  p50_ms: Nullable(Type.Integer({ description: 'Milliseconds for half of the requests; null without any' })),
  p90_ms: Nullable(Type.Integer({ description: 'Milliseconds for nine of ten of them' })),
});
export type CanaryFigures = Static<typeof CanaryFigures>;

export const Canary = Closed({
  bundle_id: Type.String(),
  live_bundle_id: Type.String({ description: 'What it is compared with' }),
  state: OneOf(['preparing', 'running', 'waiting', 'finishing', 'live', 'back', 'replaced', 'failed'], {
    description:
      '`waiting`: for a person who makes it live; `finishing`: it is being made live; `back`: past a limit, or by a person; `replaced`: something else went live; `failed`: its deploy did',
  }),
  reason: Nullable(Type.String({ description: 'Why it is in that state, where there is more to say' })),
  ...limits,
  task_id: Type.String({ description: 'The deploy that got it ready' }),
  finish_task_id: Nullable(Type.String({ description: 'The deploy that makes it live; null before' })),
  user_guid: Uuid,
  created_time: DateTime,
  started_time: Nullable(DateTime),
  ends_time: Nullable(
    Type.String({ format: 'date-time', description: 'When it goes live, if nothing speaks against it' }),
  ),
  decided_time: Nullable(DateTime),
  decided_by: Nullable(Type.String({ description: 'Guid of who decided; null for the server' })),
  live: CanaryFigures,
  canary: CanaryFigures,
});
export type Canary = Static<typeof Canary>;

export const getCanary = endpoint({
  ...one,
  operationId: 'getCanary',
  contentKey: 'pipeline',
  summary: 'Read the canary of a content item, or the last one it had, with the figures of both bundles',
  method: 'GET',
  path: '/v1/content/{guid}/canary',
  status: 200,
  response: Canary,
});

const task_id = Type.Optional(
  Nullable(
    Type.String({
      maxLength: 64,
      'x-error': 25,
      description:
        '`task_id` of the canary that is decided on; refused with code 100 where that one has ended',
    }),
  ),
);

export const finishCanary = endpoint({
  ...one,
  operationId: 'finishCanary',
  summary: 'Make the canary live now; returns the task that does it',
  method: 'POST',
  path: '/v1/content/{guid}/canary/finish',
  body: Type.Object({ task_id }),
  bodyOptional: true,
  status: 200,
  response: DeploymentTask,
});

export const endCanary = endpoint({
  ...one,
  operationId: 'endCanary',
  summary: 'Roll back to what was live before the canary; open sessions stay where they are',
  method: 'POST',
  path: '/v1/content/{guid}/canary/back',
  body: Type.Object({
    task_id,
    reason: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 500, 'x-error': 25 }))),
  }),
  status: 200,
  response: Canary,
});
