// Visits and sessions of applications (contract, 4.5).
import { errors } from '@pressroom/api/contract';
import { keysetRequest, pager } from '../http/paging.ts';
import type { ApiAnswer, ApiRequest } from '../http/request.ts';
import { toTimestamp, type Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { readHits, readSessionPage, readVisitPage } from './store.ts';
import { NOBODY, usageFilter } from './usage-filter.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
}

export const usageRoutes = { getContentHits, getContentVisits, getShinyAppUsage };

const HITS_AT_MOST = 100_000;

/** Reads visits and sessions alike. @throws ApiError 83 for more than a client could want at once */
async function getContentHits(
  { storage, clock }: Parts,
  { query, caller }: ApiRequest<'getContentHits'>,
): Promise<ApiAnswer<'getContentHits'>> {
  const filter = usageFilter({ ...query, min_data_version: 1 }, caller, clock.now());
  const rows = await readHits(storage.db, filter, HITS_AT_MOST + 1);
  if (rows.length > HITS_AT_MOST)
    throw errors.searchResultsTooLarge({
      message: `there are more than ${HITS_AT_MOST} visits: ask for a shorter time with from and to, or for one content_guid`,
    });
  return rows.map(({ time, path, ...row }) => ({
    ...row,
    timestamp: toTimestamp(time),
    data: { path, user_agent: null },
  }));
}

/** Reads visits (contract, 4.5). */
async function getContentVisits(
  { storage, clock }: Parts,
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

/** Reads sessions of Shiny applications (contract, 4.5). */
async function getShinyAppUsage(
  { storage, clock }: Parts,
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
