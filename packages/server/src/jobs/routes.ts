// API operations on processes of a content item and their output.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { loadContent } from '../content/commands.ts';
import { dashboardUrl } from '../content/present.ts';
import type { ContentRow } from '../content/store.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import type { Jobs } from './jobs.ts';
import { presentJob, presentProcess } from './present.ts';
import type { Processes } from './processes.ts';
import { type RestartParts, runRestart } from './restart.ts';
import { findJob, type JobRow, listJobs, openJobs } from './store.ts';

interface Parts extends RestartParts {
  readonly audit: Audit;
  readonly jobs: Jobs;
  readonly processes: Processes;
}

export const jobsRoutes = {
  getContentJob,
  getContentJobLog,
  getContentJobs,
  getProcesses,
  restartContent,
  stopContentJob,
  terminateApplication,
};

/** Milliseconds between polls of a log on another server while a reader waits. */
const POLL_MS = 1000;

/** Reads the output of a process, waiting for more if there is none. */
async function getContentJobLog(
  { storage, jobs, processes }: Pick<Parts, 'storage' | 'jobs' | 'processes'>,
  { params, query, caller, signal, again }: ApiRequest<'getContentJobLog'>,
): Promise<ApiResponse<'getContentJobLog'>> {
  const { db } = storage;
  const { content } = await loadContent(db, params.guid, caller, 'readJobs');
  const deadline = performance.now() + query.wait * 1000;
  for (;;) {
    const left = deadline - performance.now();
    // Subscribed before reading, so that no line is missed.
    const more = left > 0 ? jobs.nextLine(params.key, Math.min(POLL_MS, left), signal) : null;
    const job = await findJob(db, content.guid, params.key);
    if (!job) throw errors.notFound();
    const elsewhere = await processes.readElsewhere(
      job,
      query.first,
      Math.max(0, Math.min(POLL_MS, left)),
      signal,
    );
    const { entries, last } = elsewhere ?? (await jobs.readLog(content.guid, job.key, query.first));
    const finished = job.ended !== null;
    if (entries.length > 0 || finished || more === null || signal.aborted) {
      // Rights may have been removed while it waited.
      if (query.wait > 0) await loadContent(db, params.guid, await again(), 'readJobs');
      return { entries, last, finished };
    }
    // The other server has waited already.
    if (!elsewhere) await more;
  }
}

async function getContentJobs(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getContentJobs'>,
): Promise<ApiResponse<'getContentJobs'>> {
  const { db } = storage;
  const { content } = await loadContent(db, params.guid, caller, 'readJobs');
  return (await listJobs(db, content.guid)).map(presentJob);
}

async function getContentJob(
  { storage }: Pick<Parts, 'storage'>,
  { params, caller }: ApiRequest<'getContentJob'>,
): Promise<ApiResponse<'getContentJob'>> {
  const { db } = storage;
  const { content } = await loadContent(db, params.guid, caller, 'readJobs');
  const job = await findJob(db, content.guid, params.key);
  if (!job) throw errors.notFound();
  return presentJob(job);
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
  { storage, audit, processes }: Pick<Parts, 'storage' | 'audit' | 'processes'>,
  { params, caller }: ApiRequest<'stopContentJob'>,
): Promise<ApiResponse<'stopContentJob'>> {
  const job = await storage.write(async (tx) => {
    const { content } = await loadContent(tx, params.guid, caller, 'restartContent');
    const found = await findJob(tx, content.guid, params.key);
    if (!found) throw errors.notFound();
    if (found.ended !== null) throw errors.actionNotSupported({ message: 'this process has ended' });
    const description = `Stopping process ${found.key} of content ${content.name} (${content.guid})`;
    await audit(tx, caller, 'edit_application', description, { content: content.guid });
    return found;
  });
  if (!(await processes.stopOne(job)))
    throw errors.actionNotSupported({ message: 'this process has ended, or its server cannot be reached' });
  const none = { app_id: null, result: null, code: null, error: null };
  return { ...none, app_guid: job.content_guid, job_key: job.key, job_id: job.key };
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
