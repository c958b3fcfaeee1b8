// The processes of a content item, and what they printed.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { loadContent } from '../content/commands.ts';
import { dashboardUrl } from '../content/present.ts';
import { type ContentRow, findContent } from '../content/store.ts';
import type { ApiAnswer, ApiRequest } from '../http/request.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import type { TaskService } from '../tasks/task-service.ts';
import type { Jobs } from './jobs.ts';
import { presentJob, presentProcess } from './present.ts';
import { usageOf } from './process-usage.ts';
import { findJob, listJobs, openJobs } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly audit: Audit;
  readonly jobs: Jobs;
  readonly tasks: TaskService;
  readonly contentChanged: (guid: string) => void;
  readonly stopProcesses: (guid: string) => Promise<void>;
  readonly restart: (content: ContentRow, print: (line: string) => void) => Promise<void>;
  readonly secretsOf: (content: ContentRow) => Promise<string[]>;
}

export const jobsRoutes = {
  getContentJobLog,
  getContentJobs,
  getProcesses,
  restartContent,
  terminateApplication,
};

/** How often, in milliseconds, the log of a process on another server is looked at while a reader waits. */
const POLL_MS = 1000;

/** Reads what a process of a content item printed, waiting for more where there is none. */
async function getContentJobLog(
  { storage, jobs }: Pick<Parts, 'storage' | 'jobs'>,
  { params, query, caller, signal }: ApiRequest<'getContentJobLog'>,
): Promise<ApiAnswer<'getContentJobLog'>> {
  const { db } = storage;
  const { content } = await loadContent(db, params.guid, caller, 'readJobs');
  const deadline = performance.now() + query.wait * 1000;
  for (;;) {
    const left = deadline - performance.now();
    // Before the log is read: a line that comes meanwhile is not waited for.
    const more = left > 0 ? jobs.nextLine(params.key, Math.min(POLL_MS, left), signal) : null;
    const job = await findJob(db, content.guid, params.key);
    if (!job) throw errors.notFound();
    const { entries, last } = await jobs.readLog(content.guid, job.key, query.first);
    const finished = job.ended !== null;
    if (entries.length > 0 || finished || more === null || signal.aborted) return { entries, last, finished };
    await more;
  }
}

/** Lists the processes that ran a content item. */
async function getContentJobs(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getContentJobs'>,
): Promise<ApiAnswer<'getContentJobs'>> {
  const { db } = storage;
  const { content } = await loadContent(db, params.guid, caller, 'readJobs');
  return (await listJobs(db, content.guid)).map(presentJob);
}

/** Lists the processes of content that run now. */
async function getProcesses(
  { storage, jobs }: Pick<Parts, 'storage' | 'jobs'>,
  { base }: ApiRequest<'getProcesses'>,
): Promise<ApiAnswer<'getProcesses'>> {
  const rows = await openJobs(storage.db);
  // Those of other servers have ids of other machines.
  const own = rows.filter(({ node }) => node === jobs.node).map(({ pid }) => pid);
  const usage = await usageOf(own);
  return Object.fromEntries(
    rows.map((row) => {
      const used = row.node === jobs.node ? usage.get(row.pid) : undefined;
      return [String(row.pid), presentProcess(row, dashboardUrl(base, row.content_guid), used)];
    }),
  );
}

/** Stops the processes of an application and starts one again, so that the task tells whether it starts. */
async function restartContent(
  parts: Restarting,
  { params, caller }: ApiRequest<'restartContent'>,
): Promise<ApiAnswer<'restartContent'>> {
  const { tasks, contentChanged, restart, secretsOf } = parts;
  const { id, content } = await beginTask(parts, caller, params.guid, 'restart');
  void tasks.run(id, async ({ log, hide }) => {
    // A deploy may have ended since.
    const active = await findContent(parts.storage.db, content.guid);
    if (!active) throw errors.notFound();
    hide(await secretsOf(active));
    await restart(active, log);
    contentChanged(content.guid);
    return () => Promise.resolve();
  });
  return { task_id: id };
}

/** Stops the processes of a content item, for older clients. */
async function terminateApplication(
  parts: Pick<Parts, 'storage' | 'audit' | 'tasks' | 'contentChanged' | 'stopProcesses'>,
  { params, caller }: ApiRequest<'terminateApplication'>,
): Promise<ApiAnswer<'terminateApplication'>> {
  const { tasks, contentChanged, stopProcesses } = parts;
  const { id, content } = await beginTask(parts, caller, params.guid, 'terminate');
  void tasks.run(id, async ({ log }) => {
    await stopProcesses(content.guid);
    log('Stopped the processes');
    // Those that are always to be there start again at once.
    contentChanged(content.guid);
    return () => Promise.resolve();
  });
  return { id, task_id: id };
}

type Restarting = Pick<Parts, 'storage' | 'audit' | 'tasks' | 'contentChanged' | 'restart' | 'secretsOf'>;

const WORK = {
  restart: { action: 'restartContent', verb: 'Restarting content' },
  terminate: { action: 'deployContent', verb: 'Stopping the processes of content' },
} as const;

/** @throws ApiError 4, 19, 22, 39 */
function beginTask(
  { storage, audit, tasks }: Pick<Parts, 'storage' | 'audit' | 'tasks'>,
  caller: Caller,
  guid: string,
  kind: keyof typeof WORK,
): Promise<{ id: string; content: ContentRow }> {
  const { action, verb } = WORK[kind];
  return storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, action);
    if (kind === 'restart' && content.launch === null)
      throw errors.actionNotSupported({
        message: 'only applications and APIs that are deployed can be restarted',
      });
    const subject = { kind, content_guid: content.guid, bundle_id: null, user_guid: caller.guid };
    const id = await tasks.create(tx, subject);
    const description = `${verb} ${content.name} (${content.guid}), task ${id}`;
    await audit(tx, caller, 'edit_application', description, { content: content.guid, task: id });
    return { id, content };
  });
}
