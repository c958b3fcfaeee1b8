// Reads the audit log (contract, 4.1).
import { toTimestamp } from '../../../config/clock.ts';
import { keysetRequest, pager } from '../../paging.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';
import { readAuditPage } from '../../../storage/audit.ts';

export async function getAuditLogs(
  { storage }: Services,
  { query, base, url }: ApiRequest<'getAuditLogs'>,
): Promise<ApiAnswer<'getAuditLogs'>> {
  const page = await readAuditPage(storage.db, keysetRequest(query, query.ascOrder));
  return {
    paging: pager(base, url, page, (row) => ({ time: row.time, id: row.id })),
    results: page.rows.map(({ id, time, user_id, user_description, action, event_description }) => ({
      id: String(id),
      time: toTimestamp(time),
      user_id,
      user_description,
      action,
      event_description,
    })),
  };
}
