// Reads sessions of Shiny applications (contract, 4.5).
import { toTimestamp } from '../../platform/clock.ts';
import { NOBODY, usageFilter } from '../usage-filter.ts';
import { keysetRequest, pager } from '../../http/paging.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';
import { readSessionPage } from '../store.ts';

export async function getShinyAppUsage(
  { storage, clock }: Services,
  { query, caller, base, url }: ApiRequest<'getShinyAppUsage'>,
): Promise<ApiAnswer<'getShinyAppUsage'>> {
  const page = await readSessionPage(
    storage.db,
    usageFilter(query, caller, clock.now()),
    keysetRequest(query, query.asc_order),
  );
  return {
    paging: pager(base, url, page, (row) => ({ time: row.started, id: row.id })),
    results: page.rows.map((row) => ({
      ...row,
      user_guid: row.user_guid ?? NOBODY,
      started: toTimestamp(row.started),
      ended: row.ended === null ? null : toTimestamp(row.ended),
    })),
  };
}
