// Follows the logs of a content item's processes: running ones, and those that start later.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@pressroom/api/client';
import type { Job } from '@pressroom/api/contract';
import type { CommandContext } from '../command.ts';

/** Milliseconds between checks for new processes, and between reads on a server that does not wait. */
const PAUSE_MS = 1000;
/** Seconds that a request waits for lines. */
const WAIT = 20;
/** Milliseconds between requests, so that a busy process does not cause one per line. */
const BREATH_MS = 100;

export interface Followed {
  readonly guid: string;
  /** Only this process, until it ends. */
  readonly key: string | undefined;
  /** Number of lines of the first log to skip. */
  readonly first: number;
}

/** Ends with the process if one is given. Throws the signal's reason if cancelled. */
export async function followProcesses(
  context: Pick<CommandContext, 'json' | 'terminal' | 'signal'>,
  client: Client,
  { guid, key, first }: Followed,
): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([context.signal, failed.signal]);
  const followed = new Set<string>();
  const running = new Set<string>();
  const follow = async (process: string, from: number) => {
    followed.add(process);
    running.add(process);
    await followLog(client, { guid, key: process, first: from, signal }, (entry) => {
      if (context.json) context.terminal.printJson({ process, ...entry });
      else {
        const which = running.size > 1 ? `${process}  ` : '';
        context.terminal.print(`${entry.timestamp}  ${which}${entry.data}`);
      }
    });
    running.delete(process);
  };
  if (key !== undefined) return follow(key, first);
  const known = await client.getContentJobs({ guid }, { signal });
  const shown = toShow(known);
  for (const job of known) if (!shown.includes(job)) followed.add(job.key);
  if (known.length === 0) context.terminal.note('No process has run this content yet. Waiting for one…');
  let from = first;
  for (let next = shown; ; next = await client.getContentJobs({ guid }, { signal })) {
    for (const job of next.toReversed()) {
      if (followed.has(job.key)) continue;
      if (next !== shown && !context.json) context.terminal.note(`Process ${job.key} started.`);
      follow(job.key, from).catch((error: unknown) => failed.abort(error));
      from = 0;
    }
    await pause(PAUSE_MS, signal);
  }
}

/** Running processes; else the last one, whose log may say why. */
function toShow(jobs: readonly Job[]): Job[] {
  const running = jobs.filter(({ status }) => status === 0);
  return running.length > 0 ? running : jobs.slice(0, 1);
}

async function followLog(
  client: Client,
  { guid, key, first, signal }: { guid: string; key: string; first: number; signal: AbortSignal },
  print: (entry: { timestamp: string; data: string }) => void,
): Promise<void> {
  for (let from = first; ;) {
    const { entries, last, finished } = await client.getContentJobLog(
      { guid, key, first: from, wait: WAIT },
      { signal },
    );
    // Older servers return all lines each time, and do not wait.
    const fresh = last === undefined ? entries.slice(from) : entries;
    for (const entry of fresh) print(entry);
    from = last ?? entries.length;
    if (finished === true && fresh.length === 0) return;
    await pause(last === undefined ? PAUSE_MS : BREATH_MS, signal);
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}
