// The audit log (contract, 4.1).
import { keysetRequest, pager } from '../http/paging.ts';
import type { ApiAnswer, ApiRequest } from '../http/request.ts';
import { toTimestamp } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { readAuditPage } from './store.ts';

interface Parts {
  readonly storage: Storage;
}

export const auditRoutes = { getAuditLogs };

/** Reads the audit log (contract, 4.1). */
async function getAuditLogs(
  { storage }: Parts,
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
