// Running content, not in the contract: processes and their logs, rendering on request and on schedule.
import { endpoint } from '../endpoint.ts';
import { JOB_TAGS } from '../kind-row.ts';
import {
  Closed,
  DateTime,
  Defaulted,
  Nullable,
  OneOf,
  PathUuid,
  TaskId,
  Type,
  Uuid,
  type Static,
} from '../schema.ts';
import { BundleCommit } from './bundles.ts';
import { DeploymentInstructions, DeploymentTask, draftFields } from './content.ts';
import { TaskEndReasonOrNull } from './tasks.ts';

const params = Type.Object({ guid: PathUuid });
const jobParams = Type.Object({ guid: PathUuid, key: TaskId });
const base = { group: 'runs', access: 'user', origin: 'addition', kept: false } as const;
const errors = [400, 401, 403, 404] as const;

export const Job = Closed({
  id: Type.String({ description: 'The same as `key`' }),
  key: Type.String({ description: 'Of a rendering, also the id of its task' }),
  content_guid: Uuid,
  bundle_id: Type.String(),
  variant_id: Nullable(
    Type.String({ description: 'Key of the variant that is rendered; null for a process' }),
  ),
  tag: OneOf(JOB_TAGS, { description: '`run_…`: a process; `build_…`: a rendering' }),
  pid: Nullable(Type.Integer({ description: 'Null for a rendering' })),
  status: Type.Integer({ description: '0: active, or waiting for its turn; 2: ended' }),
  queued_time: Nullable(
    Type.String({
      format: 'date-time',
      description: 'When a rendering was requested; null for a process',
    }),
  ),
  start_time: DateTime,
  end_time: Nullable(DateTime),
  exit_code: Nullable(
    Type.Integer({
      description: 'Of a rendering: 0 if it succeeded, 1 if it failed, null if it was cancelled',
    }),
  ),
  outcome: Nullable(Type.String({ description: 'How it ended, in words' })),
});
export type Job = Static<typeof Job>;

export const getContentJobs = endpoint({
  ...base,
  operationId: 'getContentJobs',
  contentKey: 'own',
  summary:
    'List the processes that ran a content item, and the renderings among the last 200 tasks of a document, the newest first',
  method: 'GET',
  path: '/v1/content/{guid}/jobs',
  params,
  status: 200,
  response: Type.Array(Job),
  errors,
});

export const getContentJob = endpoint({
  ...base,
  operationId: 'getContentJob',
  contentKey: 'own',
  summary: 'Read one process or rendering of a content item',
  method: 'GET',
  path: '/v1/content/{guid}/jobs/{key}',
  params: jobParams,
  status: 200,
  response: Job,
  errors,
});

export const JobLog = Closed({
  entries: Type.Array(
    Closed({
      timestamp: Type.String({
        format: 'date-time',
        description: 'Of a line of a rendering: when its stage began, such as the installation of packages',
      }),
      data: Type.String(),
    }),
    { description: 'The last lines from `first` on, the oldest first' },
  ),
  // Optional: missing in responses of older servers.
  last: Type.Optional(Type.Integer({ description: 'Lines printed so far: the `first` of the next request' })),
  finished: Type.Optional(Type.Boolean({ description: 'Whether it has ended: nothing follows' })),
});
export type JobLog = Static<typeof JobLog>;

export const getContentJobLog = endpoint({
  ...base,
  operationId: 'getContentJobLog',
  contentKey: 'own',
  summary:
    'Read what a process or rendering of a content item printed, waiting up to `wait` seconds for more',
  method: 'GET',
  path: '/v1/content/{guid}/jobs/{key}/log',
  params: jobParams,
  query: Type.Object({
    first: Defaulted(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, 'x-error': 13 }), 0),
    wait: Defaulted(Type.Integer({ minimum: 0, maximum: 20, 'x-error': 13, description: 'Seconds' }), 0),
    maxLogLines: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, 'x-error': 13, description: 'Only the last lines' }),
    ),
  }),
  status: 200,
  response: JobLog,
  errors,
});

export const StoppedJob = Closed({
  app_id: Type.Null(),
  app_guid: Uuid,
  job_key: Type.String(),
  job_id: Type.String({ description: 'The same as `job_key`' }),
  result: Type.Null(),
  code: Type.Null(),
  error: Type.Null(),
});

export const stopContentJob = endpoint({
  ...base,
  operationId: 'stopContentJob',
  summary:
    'Stop one process of an application, which starts again for its next visitor, or cancel a rendering, on whatever server it runs; error 22 for a deploy of somebody else',
  method: 'DELETE',
  path: '/v1/content/{guid}/jobs/{key}',
  params: jobParams,
  status: 200,
  response: StoppedJob,
  errors,
});

export const ContentDeploy = Closed({
  task_id: Nullable(Type.String({ description: 'Null once the server has dropped the task' })),
  bundle_id: Type.String(),
  user_guid: Nullable(Type.String({ description: 'Who started it; null where the task is dropped' })),
  started_time: DateTime,
  finished_time: Nullable(DateTime),
  state: OneOf(['running', 'succeeded', 'failed'], {
    description: '`running` includes waiting for its turn',
  }),
  error: Type.String({ description: 'Why it failed; empty otherwise' }),
  end_reason: TaskEndReasonOrNull,
  active: Type.Boolean({ description: 'Whether its bundle is the active one' }),
  was_live: Type.Boolean({ description: 'Whether its bundle is, or was, the active one' }),
  commit: Nullable(BundleCommit),
});
export type ContentDeploy = Static<typeof ContentDeploy>;

export const getContentDeploys = endpoint({
  ...base,
  operationId: 'getContentDeploys',
  summary:
    'List up to 200 deploys of a content item with their outcomes, the newest first; of tasks that are dropped, the last success of each bundle',
  method: 'GET',
  path: '/v1/content/{guid}/deploys',
  params,
  status: 200,
  response: Type.Array(ContentDeploy),
  errors,
});

export const restartContent = endpoint({
  ...base,
  operationId: 'restartContent',
  summary: 'Stop the processes of an application, and start it again',
  method: 'POST',
  path: '/v1/content/{guid}/restart',
  params,
  status: 200,
  response: DeploymentTask,
  errors,
});

export const renderContent = endpoint({
  ...base,
  operationId: 'renderContent',
  contentKey: 'own',
  summary: 'Render the active bundle of a document again',
  method: 'POST',
  path: '/v1/content/{guid}/render',
  params,
  status: 200,
  response: DeploymentTask,
  errors,
});

export const Schedule = Closed({
  cron: Type.String({ description: 'Five fields, or six with seconds first' }),
  timezone: Type.String({ description: 'Such as Europe/Zurich' }),
  next_time: Nullable(DateTime),
});
export type Schedule = Static<typeof Schedule>;

export const getContentSchedule = endpoint({
  ...base,
  operationId: 'getContentSchedule',
  forViewers: true,
  contentKey: 'own',
  summary: 'Read when a document is rendered again',
  method: 'GET',
  path: '/v1/content/{guid}/schedule',
  params,
  status: 200,
  response: Schedule,
  errors,
});

export const setContentSchedule = endpoint({
  ...base,
  operationId: 'setContentSchedule',
  contentKey: 'own',
  summary: 'Set when a document is rendered again',
  method: 'PUT',
  path: '/v1/content/{guid}/schedule',
  params,
  body: Type.Object({
    cron: Type.String({ minLength: 1, maxLength: 200, 'x-error': 25 }),
    timezone: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, 'x-error': 25, description: 'Default UTC' }),
    ),
  }),
  status: 200,
  response: Schedule,
  errors,
});

export const deleteContentSchedule = endpoint({
  ...base,
  operationId: 'deleteContentSchedule',
  contentKey: 'own',
  summary: 'Stop rendering a document on a schedule',
  method: 'DELETE',
  path: '/v1/content/{guid}/schedule',
  params,
  status: 204,
  response: 'empty',
  errors,
});

export const TimeZone = Closed({
  timezone: Type.String({ description: 'Such as Europe/Zurich' }),
  offset: Type.String({ pattern: '^[+-][0-9]{2}:[0-9]{2}$', description: 'From UTC, now' }),
});
export type TimeZone = Static<typeof TimeZone>;

export const getTimezones = endpoint({
  ...base,
  operationId: 'getTimezones',
  contentKey: 'both',
  summary: 'List the time zones that a schedule may have',
  method: 'GET',
  path: '/v1/timezones',
  status: 200,
  response: Type.Array(TimeZone, { description: 'By name' }),
  errors: [401, 403],
});

export const listTimezones = endpoint({
  ...base,
  operationId: 'listTimezones',
  summary: 'List the time zones that a schedule may have, for older clients',
  method: 'GET',
  path: '/timezones',
  status: 200,
  response: Type.Array(TimeZone, { description: 'By name' }),
  errors: [401],
});

const UNMEASURED = 'With what the process started; null where its server cannot be asked';
const Process = Closed({
  appId: Type.Null({ description: 'A number on other servers; content has none here' }),
  appGuid: Uuid,
  appName: Type.String(),
  appUrl: Type.String(),
  appRunAs: Nullable(Type.String({ description: 'Null: the account of the server' })),
  type: Type.String(),
  cpuCurrent: Nullable(Type.Number({ description: `Of one processor, now: 1 is all of it. ${UNMEASURED}` })),
  cpuTotal: Nullable(Type.Integer({ description: `Seconds. ${UNMEASURED}` })),
  ram: Nullable(Type.Integer({ description: `Bytes. ${UNMEASURED}` })),
});

export const getProcesses = endpoint({
  ...base,
  operationId: 'getProcesses',
  summary: 'List the processes of content that run now, by process id',
  method: 'GET',
  path: '/metrics/procs',
  kept: false,
  status: 200,
  response: Type.Record(Type.String(), Process, {
    description: 'A process of another server whose id is taken is called by its id and the key of its job',
  }),
  errors: [401, 403],
  access: 'administrator',
});

export const buildContent = endpoint({
  ...base,
  operationId: 'buildContent',
  contentKey: 'pipeline',
  summary: 'Restore the packages of a bundle again, render it and make it active: the same as a deploy',
  method: 'POST',
  path: '/v1/content/{guid}/build',
  params,
  body: Type.Object({ ...DeploymentInstructions.properties, ...draftFields }),
  bodyOptional: true,
  status: 200,
  response: DeploymentTask,
  errors,
});
