// Follows the audit log for deploys that nobody announced, and posts the weekly digests.
import { type ClientClock, RefusedError } from '@pressroom/api/client';
import { summarizeUsage } from '@pressroom/api/usage';
import { deploysIn } from '../commands/shared/audit-log.ts';
import type { Services } from '../services.ts';
import type { Subscription } from '../store/store.ts';
import { announceInChannels } from './channels.ts';
import { digestMessage, type DigestItem } from './digest.ts';
import { endSubscription, lostAccess } from './end-subscription.ts';
import { maySee } from './notice-readers.ts';
import { digestTime, isQuiet } from './quiet.ts';
import { slackFailure } from './slack-failure.ts';

export interface Watcher extends AsyncDisposable {
  /** Reads the audit log once, now. */
  scan(): Promise<void>;
  digests(): Promise<void>;
}

export interface WatcherOptions {
  readonly services: Services;
  readonly clock: ClientClock;
  /** Milliseconds between two scans; 0 for none. */
  readonly every: number;
  /** Whether the audit log is read; false where the server tells of deploys itself. */
  readonly scans: boolean;
}

const CURSOR = 'audit';
/** Milliseconds: deploys that started longer ago are not announced. */
const NEWS = 3_600_000;
const WEEK = 7 * 86_400_000;
const LONGEST_PAUSE = 60_000;

export function createWatcher({ services, clock, every, scans }: WatcherOptions): Watcher {
  const { store, clients, log } = services;
  const stop = new AbortController();

  async function scan(): Promise<void> {
    const reader = clients.service;
    if (reader === null) return;
    const known = await store.readCursor(CURSOR);
    // The first scan starts now. IDs may have any order, times have one.
    const since = known === null ? null : Number(known);
    const from = Math.max(since ?? clock.now(), clock.now() - NEWS);
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(30_000)]);
    let newest = from;
    /** The first that must be looked at again. */
    let again = Infinity;
    const found = await Array.fromAsync(deploysIn(reader, from, signal));
    for (const { id, time: at, who, content, bundle, task } of found.reverse()) {
      const time = Date.parse(at);
      newest = Math.max(newest, time);
      if (content === null) continue;
      if ((await store.subscriptions({ content })).length === 0) continue;
      const item = await reader.getContent({ guid: content }, { signal }).catch((error: unknown) => {
        if (error instanceof RefusedError && error.status === 404) return null;
        throw error;
      });
      // Deleted since.
      if (item === null) continue;
      const { complete } = await announceInChannels(services, {
        content: item,
        task,
        bundle,
        who,
        via: 'on the server',
        slackUser: null,
        otherwise: `audit:${id}`,
        time,
        channel: null,
      });
      if (!complete) again = Math.min(again, time);
    }
    // Entries of the same millisecond are read again, and recognized by their task.
    const next = Math.min(newest, again);
    if (next !== since) await store.saveCursor(CURSOR, String(next));
  }

  async function digests(): Promise<void> {
    const now = clock.now();
    const due = digestTime(now);
    const open = (await store.dueDigests(due)).filter(({ quiet }) => !isQuiet(quiet, now));
    const channels = Map.groupBy(open, ({ team, channel }) => `${team}/${channel}`);
    for (const subscriptions of channels.values()) await digest(subscriptions, due);
  }

  async function digest(subscriptions: readonly Subscription[], due: number): Promise<void> {
    const [first] = subscriptions;
    if (first === undefined) return;
    const { team, channel } = first;
    const wanted: Subscription[] = [];
    for (const subscription of subscriptions) {
      if (await maySee(clients, subscription, subscription.content)) wanted.push(subscription);
      else await endSubscription(services, subscription, lostAccess(subscription.slack_name));
    }
    const items: DigestItem[] = [];
    for (const subscription of wanted) {
      const item = await digestItem(subscription, due);
      if (item) items.push(item);
    }
    // Once, also where several bots look at the same time.
    const once = { id: `digest:${team}:${channel}:${due}`, team, channel, reader: null, content: null };
    if (items.length > 0) await services.alerts.send({ ...once, message: digestMessage(items) });
    for (const subscription of wanted) await store.finishDigest(subscription, clock.now());
  }

  /** With the rights of the subscriber. */
  async function digestItem(
    { team, slack_user, content, title }: Subscription,
    due: number,
  ): Promise<DigestItem | null> {
    const linked = await clients.ofLink(team, slack_user);
    if (linked === null) return null;
    const { client } = linked;
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(10 * 60_000)]);
    const item = await client.getContent({ guid: content }, { signal }).catch(() => null);
    if (item === null) return null;
    const summary = await summarizeUsage({ client, contents: [content], from: due - WEEK, to: due, signal });
    return { title, url: item.url, summary };
  }

  async function forever(): Promise<void> {
    for (let failures = 0; !stop.signal.aborted;) {
      try {
        if (scans) await scan();
        await digests();
        failures = 0;
      } catch (error) {
        if (stop.signal.aborted) return;
        failures += 1;
        log.warn({ err: error, word: slackFailure(error).word }, 'reading the audit log failed');
      }
      await clock.sleep(Math.min(every * 2 ** Math.min(failures, 4), LONGEST_PAUSE), stop.signal);
    }
  }
  const running = every === 0 ? Promise.resolve() : forever().catch(() => undefined);

  return {
    scan,
    digests,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}
