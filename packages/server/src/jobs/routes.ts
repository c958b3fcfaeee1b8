// API operations on processes and renderings of a content item, and their output.
import { errors, type Job } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { loadContent } from '../content/commands.ts';
import { dashboardUrl } from '../content/present.ts';
import type { ContentRow } from '../content/store.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import type { Executor } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { type Cancelling, cancelAs, requireCanceller } from '../tasks/commands.ts';
import type { Jobs } from './jobs.ts';
import type { LogPart } from './log-file.ts';
import { presentApplicationJob, presentJob, presentProcess, presentRendering } from './present.ts';
import type { Processes } from './processes.ts';
import { findRendering, listRenderings, readRendering, type Rendering } from './renderings.ts';
import { type RestartParts, runRestart } from './restart.ts';
import { findJob, type JobRow, listJobs, openJobs } from './store.ts';

interface Parts extends RestartParts {
  readonly audit: Audit;
  readonly jobs: Jobs;
  readonly processes: Processes;
}

export const jobsRoutes = {
  getApplicationJobs,
  getContentJob,
  getContentJobLog,
  getContentJobs,
  getProcesses,
  restartContent,
  stopContentJob,
  terminateApplication,
};

type Reading = Pick<Parts, 'storage' | 'jobs' | 'processes' | 'tasks'>;

/** Milliseconds between polls of a process, which may end without a line, while a reader waits. */
const POLL_MS = 1000;

/** Reads the output of a process or rendering, waiting for more if there is none. */
async function getContentJobLog(
  parts: Reading,
  { params, query, caller, signal, again }: ApiRequest<'getContentJobLog'>,
): Promise<ApiResponse<'getContentJobLog'>> {
  const { db } = parts.storage;
  const { content } = await loadContent(db, params.guid, caller, 'readJobs');
  const deadline = performance.now() + query.wait * 1000;
  for (;;) {
    const left = deadline - performance.now();
    const wait = Math.max(0, Math.min(POLL_MS, left));
    using stack = new DisposableStack();
    const stop = stack.adopt(new AbortController(), (one) => one.abort());
    const enough = AbortSignal.any([signal, stop.signal]);
    // Subscribed before reading, so that no line is missed.
    const line = left > 0 ? parts.jobs.nextLine(params.key, wait, enough) : null;
    const output = left > 0 ? parts.tasks.nextOutput(params.key, left, enough) : null;
    const { hasWaited, isRendered, ...log } = await readLog(parts, content, params.key, {
      ...query,
      wait,
      signal,
    });
    if (log.entries.length > 0 || log.finished || line === null || signal.aborted) {
      // Rights may have been removed while it waited.
      if (query.wait > 0) await loadContent(db, params.guid, await again(), 'readJobs');
      return log;
    }
    if (!hasWaited) await (isRendered ? output : line);
  }
}

interface LogQuery {
  readonly first: number;
  readonly maxLogLines?: number;
  /** Milliseconds that another server waits. */
  readonly wait: number;
  readonly signal: AbortSignal;
}

/** @throws ApiError 4 */
async function readLog(
  { storage: { db }, jobs, processes }: Reading,
  content: ContentRow,
  key: string,
  { first, maxLogLines: most = Infinity, wait, signal }: LogQuery,
): Promise<
  LogPart & { readonly finished: boolean; readonly hasWaited: boolean; readonly isRendered: boolean }
> {
  const { job, rendering } = await findEither(db, content, key);
  if (rendering) {
    const part = await readRendering(db, rendering, first, most);
    return { ...part, finished: rendering.finished === 1, hasWaited: false, isRendered: true };
  }
  const elsewhere = await processes.readElsewhere(job, first, wait, signal);
  const { entries, last } = elsewhere ?? (await jobs.readLog(content.guid, key, first));
  const finished = job.ended !== null;
  return {
    entries: entries.slice(-most),
    last,
    finished,
    hasWaited: elsewhere !== null,
    isRendered: false,
  };
}

type Either =
  | { readonly job: JobRow; readonly rendering: null }
  | { readonly job: null; readonly rendering: Rendering };

/** @throws ApiError 4 */
async function findEither(db: Executor, content: ContentRow, key: string): Promise<Either> {
  const job = await findJob(db, content.guid, key);
  if (job) return { job, rendering: null };
  const rendering = await findRendering(db, content, key);
  if (rendering) return { job: null, rendering };
  throw errors.notFound();
}

async function getContentJobs(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getContentJobs'>,
): Promise<ApiResponse<'getContentJobs'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readJobs');
  return jobsOf(storage.db, content);
}

/** Lists them for older clients. */
async function getApplicationJobs(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getApplicationJobs'>,
): Promise<ApiResponse<'getApplicationJobs'>> {
  const { content } = await loadContent(storage.db, params.guid, caller, 'readJobs');
  return (await jobsOf(storage.db, content)).map(presentApplicationJob);
}

/** Newest first. */
async function jobsOf(db: Executor, content: ContentRow): Promise<Job[]> {
  const renderings = await listRenderings(db, content);
  const processes = await listJobs(db, content.guid);
  return [...renderings.map(presentRendering), ...processes.map(presentJob)].toSorted(
    (a, b) => Date.parse(b.start_time) - Date.parse(a.start_time),
  );
}

async function getContentJob(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getContentJob'>,
): Promise<ApiResponse<'getContentJob'>> {
  const { db } = storage;
  const { content } = await loadContent(db, params.guid, caller, 'readJobs');
  const { job, rendering } = await findEither(db, content, params.key);
  return rendering ? presentRendering(rendering) : presentJob(job);
}

/** Lists the running processes of all content. */
async function getProcesses(
  { storage, jobs, processes }: Pick<Parts, 'storage' | 'jobs' | 'processes'>,
  { base }: ApiRequest<'getProcesses'>,
): Promise<ApiResponse<'getProcesses'>> {
  const rows = await openJobs(storage.db);
  const usage = await processes.usageOf(rows);
  // Another machine may have a process with the same id.
  const taken = new Set(rows.filter(({ node }) => node === jobs.node).map(({ pid }) => pid));
  const nameOf = ({ pid, key, node }: JobRow) => {
    const isFree = node === jobs.node || !taken.has(pid);
    taken.add(pid);
    return isFree ? String(pid) : `${pid}-${key}`;
  };
  return Object.fromEntries(
    rows.map((row) => [
      nameOf(row),
      presentProcess(row, dashboardUrl(base, row.content_guid), usage.get(row.key)),
    ]),
  );
}

/** Restarts an application: stops its processes and starts one, so that the task reports whether it starts. */
async function restartContent(
  parts: Restarting,
  { params, caller }: ApiRequest<'restartContent'>,
): Promise<ApiResponse<'restartContent'>> {
  const { id, content } = await beginTask(parts, caller, params.guid, 'restart');
  runRestart(parts, id, content.guid);
  return { task_id: id };
}

async function stopContentJob(
  parts: Cancelling & Pick<Parts, 'processes'>,
  { params, caller }: ApiRequest<'stopContentJob'>,
): Promise<ApiResponse<'stopContentJob'>> {
  const { storage, audit, processes } = parts;
  const { job, rendering } = await storage.write(async (tx) => {
    const { content } = await loadContent(tx, params.guid, caller, 'restartContent');
    const found = await findEither(tx, content, params.key);
    // A deploy is cancelled by who may cancel its task.
    if (found.rendering && found.rendering.kind !== 'render') requireCanceller(caller, found.rendering);
    if (found.rendering?.finished) throw errors.actionNotSupported({ message: 'this rendering has ended' });
    if (found.rendering) return found;
    if (found.job.ended !== null) throw errors.actionNotSupported({ message: 'this process has ended' });
    const description = `Stopping process ${params.key} of content ${content.name} (${content.guid})`;
    await audit(tx, caller, 'edit_application', description, { content: content.guid });
    return found;
  });
  if (rendering) await cancelAs(parts, caller, rendering);
  else if (!(await processes.stopOne(job)))
    throw errors.actionNotSupported({ message: 'this process has ended, or its server cannot be reached' });
  const none = { app_id: null, result: null, code: null, error: null };
  return { ...none, app_guid: (rendering ?? job).content_guid, job_key: params.key, job_id: params.key };
}

/** Stops the processes of a content item, for older clients. */
async function terminateApplication(
  parts: Pick<Parts, 'storage' | 'audit' | 'tasks' | 'contentChanged' | 'processes'>,
  { params, caller }: ApiRequest<'terminateApplication'>,
): Promise<ApiResponse<'terminateApplication'>> {
  const { tasks, contentChanged, processes } = parts;
  const { id, content } = await beginTask(parts, caller, params.guid, 'terminate');
  void tasks.run(id, async ({ log, signal }) => {
    await processes.stopAll(content.guid, signal);
    log('Stopped the processes');
    // Minimum processes start again at once.
    contentChanged(content.guid);
    return () => Promise.resolve();
  });
  return { id, task_id: id };
}

type Restarting = RestartParts & Pick<Parts, 'audit'>;

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
