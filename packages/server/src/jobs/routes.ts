// The processes of a content item, and what they printed.
import { errors } from '@pressroom/api/contract';
import { loadContent } from '../content/commands.ts';
import { dashboardUrl } from '../content/present.ts';
import type { ApiAnswer, ApiRequest } from '../http/request.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Jobs } from './jobs.ts';
import { presentJob, presentProcess } from './present.ts';
import { findJob, listJobs, openJobs } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly jobs: Jobs;
}

export const jobsRoutes = { getContentJobLog, getContentJobs, getProcesses };

/** Reads what a process of a content item printed. */
async function getContentJobLog(
  { storage, jobs }: Parts,
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
  { storage }: Pick<Parts, 'storage'>,
  { base }: ApiRequest<'getProcesses'>,
): Promise<ApiAnswer<'getProcesses'>> {
  const rows = await openJobs(storage.db);
  return Object.fromEntries(
    rows.map((row) => [String(row.pid), presentProcess(row, dashboardUrl(base, row.content_guid))]),
  );
}
