// Reads what a process of a content item printed.
import { ApiError } from '@pressroom/api';
import { loadContent } from '../../../content/commands.ts';
import { findJob } from '../store.ts';
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';

export async function getContentJobLog(
  { storage, jobs }: Services,
  { params, caller }: ApiRequest<'getContentJobLog'>,
): Promise<ApiAnswer<'getContentJobLog'>> {
  const { db } = storage;
  const { content } = await loadContent(db, params.guid, caller, 'readJobs');
  const job = await findJob(db, content.guid, params.key);
  if (!job) throw new ApiError(4);
  return { entries: await jobs.readLog(content.guid, job.key) };
}
