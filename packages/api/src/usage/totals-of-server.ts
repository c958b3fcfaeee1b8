// Converts the totals of a server to the result of summarizeUsage.
import { type CallOptions, RefusedError, statusOf } from '../client/index.ts';
import type { UsageTotals } from '../contract/index.ts';
import { createTally } from './tally.ts';
import type { UsageBy, UsageSummary } from './usage-summary.ts';

export type ReadTotals = (
  query: { content_guid?: string; shared: true; from: string; to: string; by: 'day' | 'user' },
  options?: CallOptions,
) => Promise<UsageTotals>;

interface Options {
  readonly contents?: readonly string[] | undefined;
  readonly from: number;
  readonly to: number;
  readonly by: UsageBy;
  readonly signal?: AbortSignal | undefined;
}

/** Maximum GUIDs per request (contract, section 8). */
export const GUIDS_AT_ONCE = 40;
/** Unsupported by the server or not permitted for this user. */
const NOT_OFFERED = new Set([404, 405, 414]);
const TOO_LARGE = 83;

/** Null if the server does not support it, or not for so many: then all pages are read. */
export async function totalsOfServer(
  read: ReadTotals,
  { contents, from, to, by, signal }: Options,
): Promise<UsageSummary | null> {
  if (contents && (contents.length === 0 || contents.length > GUIDS_AT_ONCE)) return null;
  const query = {
    ...(contents && { content_guid: contents.join('|') }),
    shared: true as const,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    by: by === 'user' ? by : ('day' as const),
  };
  try {
    const totals = await read(query, { ...(signal && { signal }) });
    return { from, to, by, ...createTally({ from, to, by }).summaryOf(totals) };
  } catch (error) {
    const isMissing = NOT_OFFERED.has(statusOf(error) ?? 0);
    if (isMissing || (error instanceof RefusedError && error.code === TOO_LARGE)) return null;
    throw error;
  }
}
