// Lists the content items that the caller may see, for older clients.
import { contentRole } from '../../policy.ts';
import { presentApplication } from '../../present.ts';
import { contentBaseOf } from '../../../visitors/content-address.ts';
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';
import { listContent } from '../../store.ts';

export async function listApplications(
  { storage, config }: Services,
  { query, caller, base }: ApiRequest<'listApplications'>,
): Promise<ApiAnswer<'listApplications'>> {
  const { account_id, name } = Object.fromEntries((query.filter ?? []).map((text) => text.split(':', 2)));
  const rows = await listContent(storage.db, caller.guid, { name, owner_guid: account_id?.toLowerCase() });
  const part = query.search?.toLowerCase() ?? '';
  const visible = rows.filter(
    (row) =>
      contentRole(row, caller, row.granted) !== null &&
      [row.name, row.title ?? ''].some((text) => text.toLowerCase().includes(part)),
  );
  const page = visible.slice(query.offset, query.offset + query.count);
  const view = { base, contentBase: contentBaseOf(config, base) };
  const applications = page.map((row) => presentApplication(row, view));
  return { applications, count: applications.length, total: visible.length };
}
