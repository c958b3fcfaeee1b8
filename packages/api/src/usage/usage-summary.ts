// What a summary of usage says.

export type UsageBy = 'day' | 'week' | 'user';

export interface UsageSeries {
  /** `2026-01-31` for a day, its Monday for a week, the GUID of a user. */
  key: string;
  visits: number;
  sessions: number;
}

export interface UsageSummary {
  from: number;
  to: number;
  by: UsageBy;
  visits: number;
  sessions: number;
  /** Visits and sessions together. */
  total: number;
  unique_users: number;
  /** By visitors without an account; they are no unique user. */
  anonymous: number;
  /** Milliseconds that finished sessions lasted together. */
  session_time: number;
  /** Visits and sessions in the time of the same length before. */
  previous: number;
  /** Change against it, 0.5 for half as much again; null when there was nothing before. */
  trend: number | null;
  /** By day or week every one of the time, in order; by user the busiest first. */
  series: UsageSeries[];
  /** The busiest content first. */
  contents: { guid: string; count: number }[];
}
