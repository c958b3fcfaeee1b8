// Publishes a directory: collect, create, pack and upload in one pass, deploy, follow the task; as a stream of events.
import { systemClock, type ClientClock } from '../../client/clock.ts';
import { RefusedError } from '../../client/failures.ts';
import type { Canary } from '../../contract/index.ts';
import type {
  DeployEvent,
  DeployOptions,
  DeployPhase,
  DoneEvent,
  FailedEvent,
  PackEvent,
  ReadEvent,
  UnknownEvent,
  UploadEvent,
} from './deploy-events.ts';
import { describeFailure, messageOf } from './describe-failure.ts';
import { findDeployedDraft, startDraft } from './draft.ts';
import { followTask } from './follow-task.ts';
import { keepRecord, type Deployed } from './keep-record.ts';
import { prepareBundle, type Prepared } from './prepare.ts';
import { withProgress } from './progress.ts';
import { findStartedCanary, refuseCanaryOf, startCanary } from './start-canary.ts';
import { mayHaveStarted, startTask, waitsForApproval } from './start-task.ts';
import { ContentGoneError, createTarget, findTarget, recordOf, type Target } from './target.ts';
import { undo, type Traces } from './undo.ts';
import { unreadResult } from './unread.ts';
import { uploadBundle, type Uploaded } from './upload.ts';

interface Run {
  options: DeployOptions;
  clock: ClientClock;
  phase: DeployPhase;
  traces: Traces;
  /** Lines of the task seen so far. */
  seen: number;
  /** Whether nothing is left to undo. */
  settled: boolean;
}

/**
 * Publishes a directory. The last event is `done`, `failed`, `unknown` or `cancelled` (`preview` for a dry run);
 * failures are events, not exceptions. If the upload fails or the signal aborts, an item created by this deploy is
 * deleted again, and likewise a bundle that no task uses; also if the caller stops iterating.
 */
export async function* deploy(options: DeployOptions): AsyncGenerator<DeployEvent, void, undefined> {
  const run: Run = {
    options,
    clock: options.clock ?? systemClock,
    phase: 'collect',
    traces: { guid: null, created: false, bundle_id: null, task: null, newRecord: null },
    seen: 0,
    settled: false,
  };
  try {
    yield* steps(run);
    run.settled = true;
  } catch (error) {
    // The task has ended: only its result could not be read.
    if (run.settled) {
      yield unread(run, error) ?? failed(run, error, []);
      return;
    }
    run.settled = true;
    const left = await undo(options.client, run.traces, run.clock);
    yield options.signal?.aborted === true ? cancelled(run, left) : failed(run, error, left);
  } finally {
    if (!run.settled) await undo(options.client, run.traces, run.clock);
  }
}

async function* steps(run: Run): AsyncGenerator<DeployEvent, void, undefined> {
  const { options, clock, traces } = run;
  const { client, signal } = options;
  signal?.throwIfAborted();
  const record = await recordOf(options);
  const before = record && {
    type: record.app_mode,
    entrypoint: record.entrypoint ?? undefined,
    rendering: record.rendering,
  };
  const prepared = yield* withProgress<ReadEvent, Prepared>(
    (report, stopped) => prepareBundle({ ...options, signal: stopped }, before, report),
    signal,
  );
  yield prepared.event;
  if (options.canary !== undefined && options.canary.share > 0) refuseCanaryOf(prepared.event.app_mode);
  if (options.dryRun === true) {
    yield { type: 'preview' };
    return;
  }

  run.phase = 'create';
  signal?.throwIfAborted();
  const target = (await findTarget(options, record)) ?? (await createTarget(options, clock));
  const { guid, name } = target.content;
  traces.guid = guid;
  traces.created = target.created;
  yield { type: 'target', guid, name, created: target.created };
  // A first record is written before anything slow: if this process ends, the next deploy finds the item. It names no
  // bundle; later records wait until a bundle is live, because a record names the live bundle.
  let file = target.record?.file ?? null;
  if (target.created) file = yield* keep(run, { target, prepared, file, bundle_id: null });

  run.phase = 'upload';
  signal?.throwIfAborted();
  const { bundle_id, warning } = yield* withProgress<PackEvent | UploadEvent, Uploaded>(
    (report, stopped) =>
      uploadBundle({
        client,
        guid,
        prepared,
        concurrency: options.concurrency,
        commit: options.commit,
        signal: stopped,
        clock,
        report,
        onBundle: (id) => {
          traces.bundle_id = id;
        },
      }),
    signal,
  );

  if (warning !== null) yield { type: 'warning', message: warning };

  const { files, checksums } = prepared;
  options.onUploaded?.({ bundle_id, guid, files, checksums });

  run.phase = 'deploy';
  signal?.throwIfAborted();
  const task_id = await startDeploy(run, guid, bundle_id);
  if (file === null && !target.created) file = yield* keep(run, { target, prepared, file, bundle_id: null });
  yield { type: 'deploy', task_id, guid, bundle_id };

  run.phase = 'watch';
  for await (const event of followTask({
    client,
    task_id,
    guid,
    files: prepared.event.files,
    signal,
    clock,
  })) {
    if (event.type !== 'log' && event.type !== 'stage') run.settled = true;
    if (event.type !== 'ended') {
      if (event.type === 'log') run.seen = event.index + 1;
      yield event;
      continue;
    }
    const done = yield* finish(run, target, bundle_id, file);
    // A record names the live bundle.
    if (file !== null && options.draft === undefined && done.canary === undefined)
      file = yield* keep(run, { target, prepared, file, bundle_id, live: done.content.bundle_id });
    yield { ...done, record: file };
  }
}

/** Each request ignores the signal: without the response, the task could not be cancelled. */
async function startDeploy(run: Run, guid: string, bundle_id: string): Promise<string> {
  const { options, traces, clock } = run;
  const { client, draft, canary, signal } = options;
  const start = () =>
    draft
      ? startDraft(client, guid, bundle_id, draft)
      : client.deployContentBundle({ guid, bundle_id }).then(({ task_id }) => task_id);
  try {
    // Deploying the bundle of a canary twice would make it live.
    traces.task = canary
      ? await startCanary(client, guid, bundle_id, canary)
      : await startTask({ client, guid, bundle_id, isNew: true, clock, signal, start });
    return traces.task;
  } catch (error) {
    // A bundle that waits for approval stays: others approve exactly this one.
    if (waitsForApproval(error)) run.settled = true;
    else if (mayHaveStarted(error) || signal?.aborted === true) traces.task = true;
    throw error;
  }
}

async function* finish(
  run: Run,
  target: Target,
  bundle_id: string,
  record: string | null,
): AsyncGenerator<DeployEvent, DoneEvent, undefined> {
  const { client, title, description, access_type } = run.options;
  const { guid } = target.content;
  let { content } = target;
  let canary: Canary | null = null;
  if (run.options.draft) {
    const draft = await findDeployedDraft(client, content, bundle_id);
    const dashboard_url = content.dashboard_url ?? null;
    if (draft !== null)
      return { type: 'done', content, url: draft.url, dashboard_url, bundle_id, record, draft };
  }
  const changes = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(access_type !== undefined && { access_type }),
  };
  if (!target.created && Object.keys(changes).length > 0) {
    try {
      await client.updateContent({ guid, ...changes });
    } catch (error) {
      const outcome = error instanceof RefusedError ? 'was not changed' : 'may not have been changed';
      const message = `The ${Object.keys(changes).join(', ')} ${outcome}: ${messageOf(error)}`;
      yield { type: 'warning', message };
    }
  }
  try {
    content = await client.getContent({ guid });
    canary = await findStartedCanary(client, content, bundle_id);
  } catch {
    // It is published; the earlier details can be shown.
  }
  return {
    type: 'done',
    content,
    url: content.url,
    dashboard_url: content.dashboard_url ?? null,
    bundle_id,
    record,
    ...(canary && { canary }),
  };
}

/** Returns the file, or null if no record is kept or it cannot be written, which is a warning. */
async function* keep(run: Run, deployed: Deployed): AsyncGenerator<DeployEvent, string | null, undefined> {
  const { file, warning } = await keepRecord(run.options, run.clock, deployed);
  if (warning !== undefined) yield { type: 'warning', message: warning, isAboutRecord: true };
  if (deployed.target.created && file !== null) run.traces.newRecord = file;
  return file;
}

function cancelled(run: Run, left: string[]): DeployEvent {
  const { guid, task, created } = run.traces;
  return {
    type: 'cancelled',
    phase: run.phase,
    guid: created && left.length === 0 ? null : guid,
    task_id: typeof task === 'string' && !(created && left.length === 0) ? task : null,
    left,
  };
}

function unread({ traces: { guid, task }, seen }: Run, error: unknown): UnknownEvent | null {
  const isKnown = guid !== null && typeof task === 'string';
  return isKnown ? unreadResult(error, { task_id: task, guid, first: seen }) : null;
}

function failed(run: Run, error: unknown, left: string[]): FailedEvent {
  const { guid, task, created } = run.traces;
  return {
    type: 'failed',
    phase: run.phase,
    ...describeFailure(error),
    guid: run.phase !== 'watch' && created && left.length === 0 ? null : guid,
    task_id: typeof task === 'string' ? task : null,
    gone: error instanceof ContentGoneError,
    left,
  };
}
