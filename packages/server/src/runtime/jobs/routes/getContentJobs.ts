// Lists the processes that ran a content item.
import { loadContent } from '../../../content/commands.ts';
import { presentJob } from '../../../content/present.ts';
import { listJobs } from '../store.ts';
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';

export async function getContentJobs(
  { storage }: Services,
  { params, caller }: ApiRequest<'getContentJobs'>,
): Promise<ApiAnswer<'getContentJobs'>> {
  const { db } = storage;
  const { content } = await loadContent(db, params.guid, caller, 'readJobs');
  return (await listJobs(db, content.guid)).map(presentJob);
}
