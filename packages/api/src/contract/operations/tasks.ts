// Tasks (contract, 4.7) and their GA form.
import { endpoint, twoForms } from '../endpoint.ts';
import { Closed, DateTime, Defaulted, Nullable, OneOf, TaskId, Type, type Static } from '../schema.ts';

const fields = {
  id: Type.String(),
  output: Type.Array(Type.String(), { description: 'Lines from `first` on' }),
  finished: Type.Boolean(),
  code: Type.Integer({ description: 'Not zero when the work failed' }),
  error: Type.String({ description: 'Empty when nothing failed' }),
  last: Type.Integer({ description: 'Lines produced so far: the `first` of the next request' }),
};

export const Task = Closed(fields);
export type Task = Static<typeof Task>;

/** Stages of a deploy or rendering, in order; none has all of them. */
export const TASK_STAGES = ['extract', 'restore', 'render', 'start', 'activate'] as const;
export type TaskStageName = (typeof TASK_STAGES)[number];

export const TaskStage = Closed({
  name: OneOf(TASK_STAGES),
  line: Type.Integer({ description: 'Number of the first line of output that belongs to it, from 0' }),
  time: DateTime,
});
export type TaskStage = Static<typeof TaskStage>;

/** Why a task ended before it had succeeded or failed. */
export const TASK_END_REASONS = ['cancelled', 'interrupted'] as const;
export type TaskEndReason = (typeof TASK_END_REASONS)[number];
export const TaskEndReasonOrNull = Nullable(
  OneOf(TASK_END_REASONS, {
    description: 'Why it ended early: somebody cancelled it, or its server stopped; null otherwise',
  }),
);

export const TaskGa = Closed({
  ...fields,
  result: Type.Null(),
  stages: Type.Array(TaskStage, { description: 'The stages that the work has reached so far' }),
  end_reason: TaskEndReasonOrNull,
});

const params = Type.Object({ id: TaskId });
const query = Type.Object({
  first: Defaulted(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, 'x-error': 13 }), 0),
  wait: Defaulted(Type.Integer({ minimum: 0, maximum: 20, 'x-error': 13, description: 'Seconds' }), 0),
  output_wait: Defaulted(
    Type.Integer({
      minimum: 0,
      maximum: 20,
      'x-error': 13,
      description: 'Seconds to wait for more lines, the next stage or the end, in place of `wait`',
    }),
    0,
  ),
});

export const getTask = twoForms({
  operationId: 'getTask',
  contentKey: 'pipeline',
  group: 'tasks',
  kept: false,
  summary: 'Read a task and its output, waiting up to `wait` seconds for its end',
  method: 'GET',
  params,
  query,
  status: 200,
  errors: [400, 401, 403, 404],
  access: 'user',
  experimental: { path: '/v1/experimental/tasks/{id}', response: Task },
  stable: { path: '/v1/tasks/{id}', response: TaskGa },
});

export const cancelTask = endpoint({
  operationId: 'cancelTask',
  group: 'tasks',
  summary: 'Ask a task to stop; a deploy that is cancelled leaves the bundle before it active',
  method: 'POST',
  path: '/v1/tasks/{id}/cancel',
  params,
  status: 200,
  response: Task,
  errors: [400, 401, 403, 404],
  access: 'user',
  origin: 'addition',
});
