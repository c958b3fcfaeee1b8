// Lists the content items that the caller may see (GA).
import { contentRole } from '../policy.ts';
import { presentContentGa } from '../present.ts';
import { contentBaseOf } from '../../visitors/content-address.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';
import { listContent } from '../store.ts';

export async function listContentGa(
  { storage, config }: Services,
  { query, caller, base }: ApiRequest<'listContentGa'>,
): Promise<ApiAnswer<'listContentGa'>> {
  const contentBase = contentBaseOf(config, base);
  const rows = await listContent(storage.db, caller.guid, query);
  return rows.flatMap(({ granted, ...content }) => {
    const role = contentRole(content, caller, granted);
    return role === null ? [] : [presentContentGa(content, { role, base, contentBase })];
  });
}
