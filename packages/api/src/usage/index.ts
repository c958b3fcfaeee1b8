// Usage of content: summaries of visits and sessions, and links to it.
export { contentLinks, describeLinks } from './content-links.ts';
export { describeUse, RECENT_DAYS, recentUse, type RecentUse } from './recent-use.ts';
export * from './summarize-usage.ts';
export type { UsageBy, UsageSeries, UsageSummary } from './usage-summary.ts';
