// Counts streamed visits and sessions by day, week or user.
import type { UsageTotals } from '../contract/index.ts';
import type { UsageBy, UsageSeries, UsageSummary } from './usage-summary.ts';

export interface Tally {
  visit(content: string, user: string, time: number): void;
  session(content: string, user: string, started: number, ended: number | null): void;
  summary(): Summary;
  /** From totals of a server, by day or by user. */
  summaryOf(totals: UsageTotals): Summary;
}

type Summary = Omit<UsageSummary, 'from' | 'to' | 'by'>;

/** A visitor without an account. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';
const DAY = 86_400_000;

export function createTally({ from, to, by }: { from: number; to: number; by: UsageBy }): Tally {
  const series = new Map<string, UsageSeries>();
  const users = new Set<string>();
  const contents = new Map<string, number>();
  const sums = { visits: 0, sessions: 0, anonymous: 0, session_time: 0, previous: 0 };
  if (by !== 'user') for (const key of keysBetween(from, to, by)) series.set(key, emptySeries(key));

  function add(what: 'visits' | 'sessions', content: string, user: string, time: number): boolean {
    if (time < from) {
      sums.previous += 1;
      return false;
    }
    sums[what] += 1;
    if (user === NOBODY) sums.anonymous += 1;
    else users.add(user);
    contents.set(content, (contents.get(content) ?? 0) + 1);
    const key = by === 'user' ? user : dayOf(by === 'week' ? mondayOf(time) : time);
    let entry = series.get(key);
    if (!entry) series.set(key, (entry = emptySeries(key)));
    entry[what] += 1;
    return true;
  }

  function orderOf(all: UsageSeries[]): UsageSeries[] {
    return by === 'user' ? all.sort((a, b) => size(b) - size(a) || (a.key < b.key ? -1 : 1)) : all;
  }

  const byCount = (all: { guid: string; count: number }[]) =>
    all.sort((a, b) => b.count - a.count || (a.guid < b.guid ? -1 : 1));
  const trendOf = (total: number, previous: number) => (previous === 0 ? null : total / previous - 1);

  return {
    summaryOf({ series: given, contents: counted, unique_users, ...totals }) {
      const { visits: seen, sessions: begun, anonymous, session_time, previous } = totals;
      const total = seen + begun;
      for (const { key, visits, sessions } of given) {
        const name = by === 'week' ? dayOf(mondayOf(Date.parse(key))) : key;
        const entry = series.get(name) ?? emptySeries(name);
        series.set(name, entry);
        entry.visits += visits;
        entry.sessions += sessions;
      }
      return {
        visits: seen,
        sessions: begun,
        anonymous,
        session_time,
        previous,
        total,
        unique_users,
        trend: trendOf(total, previous),
        series: orderOf([...series.values()]),
        contents: byCount([...counted]),
      };
    },
    visit: (content, user, time) => void add('visits', content, user, time),
    session(content, user, started, ended) {
      if (add('sessions', content, user, started) && ended !== null) sums.session_time += ended - started;
    },
    summary() {
      const total = sums.visits + sums.sessions;
      return {
        ...sums,
        total,
        unique_users: users.size,
        trend: trendOf(total, sums.previous),
        series: orderOf([...series.values()]),
        contents: byCount([...contents].map(([guid, count]) => ({ guid, count }))),
      };
    },
  };
}

const size = ({ visits, sessions }: UsageSeries) => visits + sessions;
const emptySeries = (key: string): UsageSeries => ({ key, visits: 0, sessions: 0 });

/** Days are in UTC. */
function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The Monday of a time's week; the epoch was a Thursday. */
function mondayOf(time: number): number {
  const day = Math.floor(time / DAY);
  return (day - ((((day + 3) % 7) + 7) % 7)) * DAY;
}

function keysBetween(from: number, to: number, by: 'day' | 'week'): string[] {
  const step = by === 'week' ? 7 * DAY : DAY;
  const first = by === 'week' ? mondayOf(from) : Math.floor(from / DAY) * DAY;
  const keys: string[] = [];
  for (let time = first; time < to; time += step) keys.push(dayOf(time));
  return keys;
}
