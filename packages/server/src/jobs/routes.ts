// The processes of a content item, and what they printed.
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { loadContent } from '../content/commands.ts';
import { dashboardUrl } from '../content/present.ts';
import type { ApiAnswer, ApiRequest } from '../http/request.ts';
import type { Storage } from '../platform/database/storage.ts';
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
}

export const jobsRoutes = { getContentJobLog, getContentJobs, getProcesses, terminateApplication };

/** Reads what a process of a content item printed. */
async function getContentJobLog(
  { storage, jobs }: Pick<Parts, 'storage' | 'jobs'>,
  { params, caller }: ApiRequest<'getContentJobLog'>,
): Promise<ApiAnswer<'getContentJobLog'>> {
  const { db } = storage;
  const { content } = await loadContent(db, params.guid, caller, 'readJobs');
  const job = await findJob(db, content.guid, params.key);
  if (!job) throw errors.notFound();
  return { entries: await jobs.readLog(content.guid, job.key) };
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

/** Stops the processes of a content item, for older clients. */
async function terminateApplication(
  parts: Pick<Parts, 'storage' | 'audit' | 'tasks' | 'contentChanged' | 'stopProcesses'>,
  { params, caller }: ApiRequest<'terminateApplication'>,
): Promise<ApiAnswer<'terminateApplication'>> {
  const { storage, audit, tasks, contentChanged, stopProcesses } = parts;
  const { guid, id } = await storage.write(async (tx) => {
    const { content } = await loadContent(tx, params.guid, caller, 'deployContent');
    const subject = { kind: 'terminate', content_guid: content.guid, bundle_id: null } as const;
    const task = await tasks.create(tx, { ...subject, user_guid: caller.guid });
    const description = `Stopping the processes of content ${content.name} (${content.guid}), task ${task}`;
    await audit(tx, caller, 'edit_application', description, { content: content.guid, task });
    return { guid: content.guid, id: task };
  });
  void tasks.run(id, async ({ log }) => {
    await stopProcesses(guid);
    log('Stopped the processes');
    // Those that are always to be there start again at once.
    contentChanged(guid);
    return () => Promise.resolve();
  });
  return { id, task_id: id };
}
