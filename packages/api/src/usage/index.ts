export * from './summarize-usage.ts';
export type { UsageSeries } from './tally.ts';
