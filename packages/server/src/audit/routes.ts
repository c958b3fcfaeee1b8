// The audit log (contract, 4.1).
import { keysetRequest, pager } from '../http/paging.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import { toTimestamp } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { SYSTEM } from './record.ts';
import { ALL_ENTRIES, readAuditPage } from './store.ts';

interface Parts {
  readonly storage: Storage;
}

export const auditRoutes = { getAuditEvents, getAuditLogs };

async function getAuditLogs(
  { storage }: Parts,
  { query, base, url }: ApiRequest<'getAuditLogs'>,
): Promise<ApiResponse<'getAuditLogs'>> {
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

/** Reads the audit log with the subjects of entries as fields. */
async function getAuditEvents(
  { storage }: Parts,
  { query, base, url }: ApiRequest<'getAuditEvents'>,
): Promise<ApiResponse<'getAuditEvents'>> {
  const { action = null, content_guid: content = null, user_guid: actor = null } = query;
  const selection = { ...ALL_ENTRIES, action, content, actor };
  const page = await readAuditPage(storage.db, keysetRequest(query, query.ascOrder), selection);
  return {
    paging: pager(base, url, page, (row) => ({ time: row.time, id: row.id })),
    results: page.rows.map((row) => ({
      id: String(row.id),
      time: toTimestamp(row.time),
      user_guid: row.user_id === SYSTEM.guid ? null : row.user_id,
      user_description: row.user_description,
      slack_user: row.slack_user,
      action: row.action,
      description: row.event_description,
      content_guid: row.content_guid,
      bundle_id: row.bundle_id === null ? null : String(row.bundle_id),
      task_id: row.task_id,
    })),
  };
}
