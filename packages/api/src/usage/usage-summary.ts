// The result of summarizeUsage.

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
  /** Anonymous visits; they do not count as unique users. */
  anonymous: number;
  /** Total milliseconds of finished sessions. */
  session_time: number;
  /** Visits and sessions in the previous period of the same length. */
  previous: number;
  /** Change relative to the previous period, such as 0.5 for 50 % more; null if that had none. */
  trend: number | null;
  /** By day or week: every one of the period, in order. By user: busiest first. */
  series: UsageSeries[];
  /** Busiest content first. */
  contents: { guid: string; count: number }[];
}
