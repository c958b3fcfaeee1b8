// Reads visits (contract, 4.5).
import { toTimestamp } from '../../platform/clock.ts';
import { NOBODY, usageFilter } from '../usage-filter.ts';
import { keysetRequest, pager } from '../../http/paging.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';
import { readVisitPage } from '../store.ts';

export async function getContentVisits(
  { storage, clock }: Services,
  { query, caller, base, url }: ApiRequest<'getContentVisits'>,
): Promise<ApiAnswer<'getContentVisits'>> {
  const page = await readVisitPage(
    storage.db,
    usageFilter(query, caller, clock.now()),
    keysetRequest(query, query.asc_order),
  );
  return {
    paging: pager(base, url, page, (row) => ({ time: row.time, id: row.id })),
    results: page.rows.map((row) => ({
      ...row,
      user_guid: row.user_guid ?? NOBODY,
      time: toTimestamp(row.time),
    })),
  };
}
