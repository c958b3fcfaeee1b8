// Recent users of content: to know before deleting it.
import { isMissingEndpoint, RefusedError } from '../client/index.ts';
import { summarizeUsage, type UsageReader } from './summarize-usage.ts';

export interface RecentUse {
  /** People with an account; anonymous visits count in `total` only. */
  readonly people: number;
  /** Visits and sessions. */
  readonly total: number;
}

export const RECENT_DAYS = 30;
const DAY_MS = 86_400_000;

/** Null if the server does not say. @throws connection failures of the client */
export async function recentUse(
  client: UsageReader,
  guid: string,
  signal?: AbortSignal,
): Promise<RecentUse | null> {
  const to = Date.now();
  try {
    const { unique_users: people, total } = await summarizeUsage({
      client,
      contents: [guid],
      from: to - RECENT_DAYS * DAY_MS,
      to,
      signal,
    });
    return { people, total };
  } catch (error) {
    if (isMissingEndpoint(error) || error instanceof RefusedError) return null;
    throw error;
  }
}

/** Such as "12 people used it in the last 30 days: 45 visits and sessions." */
export function describeUse({ people, total }: RecentUse): string {
  const period = `in the last ${RECENT_DAYS} days`;
  if (total === 0) return `Nobody used it ${period}.`;
  const counted = total === 1 ? '1 visit or session' : `${total} visits and sessions`;
  if (people === 0) return `It had ${counted} ${period}.`;
  return `${people === 1 ? '1 person' : `${people} people`} used it ${period}: ${counted}.`;
}
