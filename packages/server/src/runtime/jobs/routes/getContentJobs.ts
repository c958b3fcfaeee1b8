// Lists the processes that ran a content item.
import { loadContent } from '../../../commands/content.ts';
import { presentJob } from '../../../domain/presenters.ts';
import { listJobs } from '../../../storage/jobs.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function getContentJobs(
  { storage }: Services,
  { params, caller }: ApiRequest<'getContentJobs'>,
): Promise<ApiAnswer<'getContentJobs'>> {
  const { db } = storage;
  const { content } = await loadContent(db, params.guid, caller, 'readJobs');
  return (await listJobs(db, content.guid)).map(presentJob);
}
