// Lists the content items that the caller may see (GA).
import { contentRole } from '../../../domain/policies.ts';
import { presentContentGa } from '../../../domain/presenters.ts';
import { contentBaseOf } from '../../../config/content-address.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';
import { listContent } from '../../../storage/content.ts';

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
