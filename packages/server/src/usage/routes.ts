// Usage: visits and sessions of applications (contract, 4.5).
import { type ContentHit, errors } from '@pressroom/api/contract';
import { keysetRequest, pager } from '../http/paging.ts';
import type { Portions } from '../http/portions.ts';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import { toTimestamp, type Clock } from '../platform/clock.ts';
import type { Micros } from '../platform/database/schema.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { DAY } from './roll-up-store.ts';
import {
  hasMoreHits,
  readHitsAfter,
  readSessionPage,
  readVisitPage,
  type HitRow,
  type UsageFilter,
} from './store.ts';
import { countWithin, readTotals } from './totals-store.ts';
import { NOBODY, parseTime, usageFilter } from './usage-filter.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
}

export const usageRoutes = { getUsageSummary, getContentHits, getContentVisits, getShinyAppUsage };

const HITS_AT_MOST = 100_000;
const SERIES_AT_MOST = 100_000;

/** Reads visits and sessions together. @throws ApiError 83 for an unreasonable limit */
async function getContentHits(
  { storage, clock }: Parts,
  request: ApiRequest<'getContentHits'>,
): Promise<ApiResponse<'getContentHits'>> {
  const now = clock.now();
  if (await hasMoreHits(storage.db, hitsFilter(request, request.caller, now), HITS_AT_MOST))
    throw errors.searchResultsTooLarge({
      message: `there are more than ${HITS_AT_MOST} visits: ask for a shorter time with from and to, or for one content_guid`,
    });
  return presentHits(storage, request, now);
}

/** In portions: a hundred thousand at once would block the event loop for seconds. */
async function* presentHits(
  { db }: Storage,
  request: ApiRequest<'getContentHits'>,
  now: Micros,
): Portions<ContentHit> {
  let { caller } = request;
  let after: HitRow | null = null;
  for (;;) {
    const { rows, isLast } = await readHitsAfter(db, hitsFilter(request, caller, now), after);
    yield rows.map(({ time, path, ...row }) => ({
      ...row,
      timestamp: toTimestamp(time),
      data: { path, user_agent: null },
    }));
    if (isLast) return;
    after = rows.at(-1) ?? null;
    // A slow reader may lose the right meanwhile.
    caller = await request.again();
  }
}

function hitsFilter({ query }: ApiRequest<'getContentHits'>, caller: Caller, now: Micros): UsageFilter {
  return usageFilter({ ...query, min_data_version: 1 }, caller, now);
}

/** Summarises visits and sessions of a time range. @throws ApiError 83 for an unreasonable limit of users */
async function getUsageSummary(
  { storage: { db }, clock }: Parts,
  { query, caller }: ApiRequest<'getUsageSummary'>,
): Promise<ApiResponse<'getUsageSummary'>> {
  const { contents, scope } = usageFilter({ ...query, min_data_version: 1 }, caller, clock.now());
  const [from, to] = [parseTime(query.from, 0), parseTime(query.to, 0)];
  if (to < from) throw errors.invalidTime({ message: 'to must not be before from' });
  const totals = await readTotals(db, { contents, scope, from, to });
  const previous = await countWithin(db, { contents, scope, from: from - (to - from), to: from });
  const { users, days, sessionTime } = totals;
  if (users.size > SERIES_AT_MOST)
    throw errors.searchResultsTooLarge({
      message: `there are more than ${SERIES_AT_MOST} users: ask for a shorter time`,
    });
  const all = [...totals.contents.values()];
  const nobody = users.get('');
  const byUser = () => [...users].map(([guid, counted]) => ({ key: guid || NOBODY, ...counted }));
  const byDay = () =>
    [...days]
      .toSorted(([a], [b]) => a - b)
      .map(([day, counted]) => ({ key: toTimestamp(day * DAY).slice(0, 10), ...counted }));
  return {
    visits: all.reduce((sum, { visits }) => sum + visits, 0),
    sessions: all.reduce((sum, { sessions }) => sum + sessions, 0),
    unique_users: users.size - (nobody ? 1 : 0),
    anonymous: nobody ? nobody.visits + nobody.sessions : 0,
    session_time: sessionTime,
    previous,
    series: query.by === 'user' ? byUser() : byDay(),
    contents: [...totals.contents].map(([guid, { visits, sessions }]) => ({
      guid,
      count: visits + sessions,
    })),
  };
}

async function getContentVisits(
  { storage, clock }: Parts,
  { query, caller, base, url }: ApiRequest<'getContentVisits'>,
): Promise<ApiResponse<'getContentVisits'>> {
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

async function getShinyAppUsage(
  { storage, clock }: Parts,
  { query, caller, base, url }: ApiRequest<'getShinyAppUsage'>,
): Promise<ApiResponse<'getShinyAppUsage'>> {
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
