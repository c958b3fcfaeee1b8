// Summarises visits and sessions of a period: fetched in parallel slices, counted while streaming.
import type { CallOptions, Visit } from '../client/methods.ts';
import type { ShinyAppUsage } from '../contract/index.ts';
import { createTally, NOBODY, type Tally } from './tally.ts';
import { GUIDS_AT_ONCE, totalsOfServer, type ReadTotals } from './totals-of-server.ts';
import type { UsageBy, UsageSummary } from './usage-summary.ts';

/** The part of a client that is needed; without totals, all pages are read. */
export interface UsageReader {
  getUsageSummary?: ReadTotals;
  readonly each: {
    getContentVisits(args: Query, options?: CallOptions): AsyncIterable<Visit>;
    getShinyAppUsage(args: Query, options?: CallOptions): AsyncIterable<ShinyAppUsage>;
  };
}

interface Query {
  content_guid?: string;
  /** Servers without this parameter return the caller's own content only. */
  shared: true;
  from: string;
  to: string;
  limit: number;
}

export interface UsageProgress {
  /** From 0 to 1. */
  share: number;
  records: number;
}

export interface UsageOptions {
  client: UsageReader;
  /** Only these; by default everything the caller may see. */
  contents?: readonly string[] | undefined;
  /** Milliseconds since the epoch; `from` inclusive, `to` exclusive. */
  from: number;
  to: number;
  by?: UsageBy;
  /** Concurrent requests; 4 by default, 1 fetches sequentially. */
  parallel?: number;
  onProgress?: (progress: UsageProgress) => void;
  signal?: AbortSignal | undefined;
}

const PAGE = 500;
const PARALLEL = 4;
/** Slices per concurrent request, so that a busy day does not delay the others. */
const SLICES_EACH = 4;

interface Slice {
  readonly kind: 'visits' | 'sessions';
  readonly from: number;
  readonly to: number;
  readonly contents: string | undefined;
}

/**
 * Summarises visits and sessions, and compares with the previous period: on the server if it supports that, else from
 * all records. Throws errors of the client, and the signal's reason.
 */
export async function summarizeUsage(options: UsageOptions): Promise<UsageSummary> {
  const { from, to, by = 'day', signal, client } = options;
  if (client.getUsageSummary && to > from) {
    signal?.throwIfAborted();
    const summed = await totalsOfServer(client.getUsageSummary, { ...options, by });
    if (summed) {
      options.onProgress?.({ share: 1, records: summed.total });
      return summed;
    }
  }
  const parallel = Math.max(1, options.parallel ?? PARALLEL);
  const tally = createTally({ from, to, by });
  const slices = sliced(
    options.contents,
    from - (to - from),
    to,
    parallel === 1 ? 1 : parallel * SLICES_EACH,
  );
  const progress = { records: 0, done: 0 };
  // The first failure cancels the others.
  const stop = new AbortController();
  const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const queue = slices.values();
  const work = async () => {
    for (const slice of queue) {
      stopped.throwIfAborted();
      await count(options.client, slice, tally, stopped, () => {
        progress.records += 1;
        if (progress.records % PAGE === 0) report();
      });
      progress.done += 1;
      report();
    }
  };
  const report = () =>
    options.onProgress?.({ share: progress.done / slices.length, records: progress.records });
  try {
    await Promise.all(Array.from({ length: parallel }, work));
  } catch (error) {
    stop.abort(error);
    signal?.throwIfAborted();
    throw error;
  }
  return { from, to, by, ...tally.summary() };
}

function sliced(contents: readonly string[] | undefined, from: number, to: number, count: number): Slice[] {
  const groups = contents
    ? Array.from({ length: Math.ceil(contents.length / GUIDS_AT_ONCE) }, (_, i) =>
        contents.slice(i * GUIDS_AT_ONCE, (i + 1) * GUIDS_AT_ONCE).join('|'),
      )
    : [undefined];
  const edge = (i: number) => Math.round(from + ((to - from) * i) / count);
  return groups.flatMap((group) =>
    Array.from({ length: count }, (_, i) => i).flatMap((i) =>
      (['visits', 'sessions'] as const).map((kind) => ({
        kind,
        from: edge(i),
        to: edge(i + 1),
        contents: group,
      })),
    ),
  );
}

async function count(
  client: UsageReader,
  { kind, from, to, contents }: Slice,
  tally: Tally,
  signal: AbortSignal,
  onRecord: () => void,
): Promise<void> {
  if (to <= from) return;
  const query: Query = {
    ...(contents !== undefined && { content_guid: contents }),
    shared: true,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    limit: PAGE,
  };
  // Servers include both ends of a range, and sessions that overlap it: each record belongs to one slice, by its start.
  const within = (time: number) => time >= from && time < to;
  if (kind === 'visits') {
    for await (const visit of client.each.getContentVisits(query, { signal })) {
      onRecord();
      const time = Date.parse(visit.time);
      if (within(time)) tally.visit(visit.content_guid, visitorOf(visit), time);
    }
  } else {
    for await (const session of client.each.getShinyAppUsage(query, { signal })) {
      onRecord();
      const time = Date.parse(session.started);
      const ended = session.ended === null ? null : Date.parse(session.ended);
      if (within(time)) tally.session(session.content_guid, visitorOf(session), time, ended);
    }
  }
}

/** Current servers of others have null for visitors without an account. */
function visitorOf({ user_guid }: { readonly user_guid: string | null }): string {
  return user_guid ?? NOBODY;
}
