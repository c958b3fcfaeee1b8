// Resumes a deploy that runs on the server, and activates an existing bundle.
import type { Client } from '../../client/client.ts';
import { systemClock, type ClientClock } from '../../client/clock.ts';
import { RefusedError } from '../../client/failures.ts';
import { noteDeployed } from '../records/record.ts';
import type { DeployEvent, FailedEvent } from './deploy-events.ts';
import { describeFailure } from './describe-failure.ts';
import { findDeployedDraft } from './draft.ts';
import { followTask } from './follow-task.ts';
import { findStartedCanary } from './start-canary.ts';
import { mayGoOn, startTask } from './start-task.ts';
import { stopTask } from './stop-task.ts';
import { removeBundle } from './undo.ts';
import { unreadResult } from './unread.ts';

export interface ResumeOptions {
  client: Client;
  task_id: string;
  guid: string;
  bundle_id: string;
  /** Lines already seen; 0 by default. */
  first?: number | undefined;
  /** Cancels: the task is stopped if the server can, then `cancelled` follows. */
  signal?: AbortSignal | undefined;
  clock?: ClientClock | undefined;
  /** The bundle was uploaded by the resumed deploy: if cancelled, it is removed. */
  ownBundle?: boolean | undefined;
  /** The bundle becomes a draft: the live bundle and the record are unchanged. */
  draft?: boolean | undefined;
  /** The directory with the content's record, to be updated. */
  dir?: string | undefined;
}

/** The remaining events of the deploy; the last is `done`, `failed`, `unknown` or `cancelled`. */
export async function* resumeDeploy(options: ResumeOptions): AsyncGenerator<DeployEvent, void, undefined> {
  const { client, task_id, guid, bundle_id, first, signal, clock = systemClock } = options;
  let seen = first ?? 0;
  try {
    for await (const event of followTask({ client, task_id, guid, first, signal, clock })) {
      if (event.type !== 'ended') {
        if (event.type === 'log') seen = event.index + 1;
        yield event;
        continue;
      }
      const content = await client.getContent({ guid });
      const dashboard_url = content.dashboard_url ?? null;
      const draft = options.draft === true ? await findDeployedDraft(client, content, bundle_id) : null;
      if (draft !== null) {
        yield { type: 'done', content, url: draft.url, dashboard_url, bundle_id, record: null, draft };
        continue;
      }
      const canary = await findStartedCanary(client, content, bundle_id);
      if (canary !== null) {
        yield { type: 'done', content, url: content.url, dashboard_url, bundle_id, record: null, canary };
        continue;
      }
      // A newer bundle may have gone live since, and be in the record.
      const isNewest = Number(content.bundle_id ?? 0) <= Number(bundle_id);
      const record = isNewest ? yield* keepRecord(options, clock) : null;
      yield { type: 'done', content, url: content.url, dashboard_url, bundle_id, record };
    }
  } catch (error) {
    if (signal?.aborted !== true) {
      const event = unreadResult(error, { task_id, guid, first: seen });
      yield event ?? { ...failed(options, error), gone: isGone(error) };
      return;
    }
    const { outcome, message } = await stopTask(client, task_id, clock);
    const left = message === null ? [] : [message];
    if (outcome === 'stopped' && options.ownBundle === true)
      left.push(...(await removeBundle(client, guid, bundle_id, clock)));
    const goesOn = outcome === 'stopped' || outcome === 'ended' ? null : task_id;
    yield { type: 'cancelled', phase: 'watch', guid, task_id: goesOn, left };
  }
}

export interface ActivateOptions extends Omit<ResumeOptions, 'task_id' | 'first' | 'ownBundle' | 'draft'> {
  /** `task_id` of the draft that was looked at; refused if another has replaced it. */
  draft_task_id?: string | undefined;
}

/** Activates a bundle of the content, as a deploy: `deploy` with the task comes first. */
export async function* activateBundle(
  options: ActivateOptions,
): AsyncGenerator<DeployEvent, void, undefined> {
  const { client, guid, bundle_id, signal, clock = systemClock } = options;
  // Named once: a request that arrived and has no response may have made it live, and ended the draft.
  let named = options.draft_task_id;
  let task_id: string;
  try {
    const start = async () => {
      const instructions = { guid, bundle_id, ...(named !== undefined && { draft_task_id: named }) };
      named = undefined;
      return (await client.deployContentBundle(instructions)).task_id;
    };
    task_id = await startTask({ client, guid, bundle_id, isNew: false, clock, signal, start });
  } catch (error) {
    if (signal?.aborted === true) {
      yield { type: 'cancelled', phase: 'deploy', guid, task_id: null, left: [mayGoOn(bundle_id)] };
      return;
    }
    // The same code says that the bundle is gone.
    const gone = isGone(error) && (await client.getContent({ guid }).then(() => false, isGone));
    yield { ...failed({ guid, task_id: null }, error), gone };
    return;
  }
  yield { type: 'deploy', task_id, guid, bundle_id };
  yield* resumeDeploy({ ...options, task_id });
}

/** Returns the file, or null if there is none or it cannot be written, which is a warning. */
async function* keepRecord(
  { client, guid, bundle_id, dir }: ResumeOptions,
  clock: ClientClock,
): AsyncGenerator<DeployEvent, string | null, undefined> {
  if (dir === undefined) return null;
  const deployed_time = new Date(clock.now()).toISOString();
  try {
    return await noteDeployed(dir, { server: client.url, guid, bundle_id, deployed_time });
  } catch (error) {
    const message = `The deployment record could not be written: ${(error as Error).message}`;
    yield { type: 'warning', message, isAboutRecord: true };
    return null;
  }
}

/** Other servers refuse rights with the same code. */
function isGone(error: unknown): boolean {
  return error instanceof RefusedError && error.status === 404 && error.code === 4;
}

function failed(
  { guid, task_id }: { guid: string; task_id: string | null },
  error: unknown,
): Omit<FailedEvent, 'gone'> {
  return {
    type: 'failed',
    phase: task_id === null ? 'deploy' : 'watch',
    ...describeFailure(error),
    guid,
    task_id,
    left: [],
  };
}
