// Visits the page of content that has just become live: an application may fail to start after a successful deploy.
import type { Client } from '@pressroom/api/client';
import { diagnose, type DeployEvent } from '@pressroom/api/publish';
import { l10n } from 'vscode';
import { explain } from '../../ui/explain.ts';
import type { JobEvent, Shown } from './drive.ts';

/** Milliseconds. An application that starts slower is not reported as broken. */
const TIMEOUT_MS = 30_000;
const LINES_SHOWN = 200;
/** Number of log requests, and seconds that the server waits for more. */
const LOOKS = 4;
const WAIT_S = 2;
/** From this status on, the page is broken. */
const BROKEN = 500;

/** Forwards events; a broken page replaces `done`. */
export async function* firstVisit(
  client: Client,
  signal: AbortSignal,
  shown: Shown,
  events: AsyncIterable<DeployEvent>,
): AsyncGenerator<JobEvent> {
  for await (const event of events) {
    // A draft's address requires a collaborator; a canary counts its visits.
    if (event.type !== 'done' || event.draft !== undefined || event.canary !== undefined) {
      yield event;
      continue;
    }
    shown.stage(l10n.t('Opening the page…'));
    const { guid } = event.content;
    const status = await statusOf(client, guid, signal);
    if (status === null || status < BROKEN) {
      yield event;
      continue;
    }
    const printed = await lastPrinted(client, guid, event.bundle_id).catch((error: unknown) => [
      l10n.t('What its process printed could not be read: {0}', explain(error)),
    ]);
    yield { type: 'broken', guid, url: event.url, status, printed };
  }
}

/** Null if unknown: the publish counts as successful then. */
async function statusOf(client: Client, guid: string, signal: AbortSignal): Promise<number | null> {
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    return (await client.openContent({ guid }, { signal: limited, retries: 0 })).status;
  } catch {
    return null;
  }
}

/** Output of the bundle's newest process; empty on servers without it. */
async function lastPrinted(client: Client, guid: string, bundle_id: string): Promise<string[]> {
  const jobs = await client.getContentJobs({ guid }, { retries: 0 });
  const job = jobs.find((one) => one.bundle_id === bundle_id);
  if (job === undefined) return [];
  const lines: string[] = [];
  let first = 0;
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const wait = looks === 0 ? 0 : WAIT_S;
    const log = await client.getContentJobLog({ guid, key: job.key, first, wait }, { retries: 0 });
    lines.push(...log.entries.map(({ data }) => data));
    // Output about the failure may follow the page, in several parts.
    const isWhole = log.entries.length === 0 && diagnose(lines) !== null;
    if (log.last === undefined || log.finished === true || isWhole) break;
    first = log.last;
  }
  return lines.slice(-LINES_SHOWN);
}
