// Follows the logs of the processes of a content item: those that run, and those that start later.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@pressroom/api/client';
import type { Job } from '@pressroom/api/contract';
import type { CommandContext } from './command.ts';

/** How often new processes are looked for, and the log of a server that does not wait is read. */
const PAUSE_MS = 1000;
/** Seconds that one request waits for lines. */
const WAIT = 20;
/** So that a process that prints a lot is not asked for each line. */
const BREATH_MS = 100;

export interface Followed {
  readonly guid: string;
  /** This process only, until it ends. */
  readonly key: string | undefined;
  /** Lines of the first log to skip. */
  readonly first: number;
}

/** Ends with the process when one is named. Throws the signal's reason when cancelled. */
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

/** Those that run; else the last one, which may say why none does. */
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
    // Servers of before answer all lines each time, and do not wait.
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
