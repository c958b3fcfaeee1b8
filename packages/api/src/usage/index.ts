// How often content was seen: visits and sessions, summed up.
export * from './summarize-usage.ts';
export type { UsageBy, UsageSeries, UsageSummary } from './usage-summary.ts';
