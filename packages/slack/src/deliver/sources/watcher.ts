// Watches the audit log for unannounced deploys and deleted content, posts due digests, and checks closed channels.
import { type ClientClock, RefusedError } from '@pressroom/api/client';
import { summarizeUsage } from '@pressroom/api/usage';
import { titleOf } from '../../blocks/names.ts';
import { deletionsIn, deploysIn } from '../../commands/shared/audit-log.ts';
import type { Services } from '../../services.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import { announceInChannels } from '../deploys/announce-in-channels.ts';
import { endInClosedChannels } from '../subscriptions/closed-channels.ts';
import { digestMessage, type DigestItem } from '../digests/digest.ts';
import { endSubscription, endSubscriptionsTo, lostAccess } from '../subscriptions/end-subscription.ts';
import { maySee } from '../deploys/notice-readers.ts';
import { digestPlanOf, digestTime, isQuiet, type DigestPlan } from '../subscriptions/quiet.ts';
import { contentWithin, scopeOf } from '../subscriptions/scopes.ts';
import { slackFailure } from '../transport/slack-failure.ts';

export interface Watcher extends AsyncDisposable {
  /** Reads the audit log once, now. */
  scan(): Promise<void>;
  digests(): Promise<void>;
  /** Ends subscriptions of channels that are closed to the bot. */
  closedChannels(): Promise<void>;
}

export interface WatcherOptions {
  readonly services: Services;
  readonly clock: ClientClock;
  /** Milliseconds between two scans; 0 for none. */
  readonly every: number;
  /** Whether the audit log is read; false if the server sends events. */
  readonly scans: boolean;
}

const CURSOR = 'audit';
/** Milliseconds: older deploys are not announced. */
const NEWS = 3_600_000;
const DAY = 86_400_000;
const WEEK = 7 * DAY;
/** Maximum content items of one subscription in a digest. */
const DIGEST_ITEMS = 50;

interface DueDigest {
  readonly subscription: Subscription;
  readonly every: DigestPlan['every'];
  readonly due: number;
}
const MAX_PAUSE_MS = 60_000;

export function createWatcher({ services, clock, every, scans }: WatcherOptions): Watcher {
  const { store, clients, log } = services;
  const stop = new AbortController();

  async function scan(): Promise<void> {
    const reader = clients.service;
    if (reader === null) return;
    const known = await store.readCursor(CURSOR);
    // The first scan starts now. IDs may have any order, times are ordered.
    const since = known === null ? null : Number(known);
    const from = Math.max(since ?? clock.now(), clock.now() - NEWS);
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(30_000)]);
    let newest = from;
    /** Start of the next scan. */
    let again = Infinity;
    const isScoped = (await store.scopedSubscriptions()).length > 0;
    const found = await Array.fromAsync(deploysIn(reader, from, signal));
    for (const { id, time: at, who, content, bundle, task } of found.reverse()) {
      const time = Date.parse(at);
      newest = Math.max(newest, time);
      if (content === null) continue;
      const isWanted = (await store.subscriptions({ content })).length > 0 || isScoped;
      if (!isWanted) continue;
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
    for await (const { guid, who } of deletionsIn(reader, from, signal))
      await endSubscriptionsTo(services, { guid, who });
    // Entries of the same millisecond are read again, and recognised by their task.
    const next = Math.min(newest, again);
    if (next !== since) await store.saveCursor(CURSOR, String(next));
  }

  async function digests(): Promise<void> {
    const now = clock.now();
    const open = (await store.dueDigests(now)).flatMap((subscription) => {
      const plan = digestPlanOf(subscription);
      if (plan === null || isQuiet(subscription.quiet, now, subscription.zone)) return [];
      const due = digestTime(now, plan);
      return subscription.digest_time < due ? [{ subscription, every: plan.every, due }] : [];
    });
    // Other quiet hours mean another time, and a separate message.
    const posts = Map.groupBy(open, ({ subscription: { team, channel, quiet }, every, due }) =>
      [team, channel, every, due, ...(quiet ? [quiet] : [])].join(':'),
    );
    for (const [id, due] of posts) {
      await digest(id, due).catch((error: unknown) => {
        if (stop.signal.aborted) throw error;
        log.warn({ err: error, digest: id }, 'a digest failed');
      });
    }
  }

  /** @param id of the message. @param all its parts, for one channel, due at the same time. */
  async function digest(id: string, all: readonly DueDigest[]): Promise<void> {
    const [first] = all;
    if (first === undefined) return;
    const { due, every } = first;
    const { team, channel } = first.subscription;
    const subscriptions = all.map(({ subscription }) => subscription);
    const wanted: Subscription[] = [];
    for (const subscription of subscriptions) {
      if (scopeOf(subscription) !== null) wanted.push(subscription);
      else if (await maySee(clients, subscription, subscription.content)) wanted.push(subscription);
      else await endSubscription(services, subscription, lostAccess(subscription.slack_name));
    }
    const items: DigestItem[] = [];
    for (const subscription of wanted) {
      for (const item of await digestItems(subscription, every, due))
        if (!items.some(({ guid }) => guid === item.guid)) items.push(item);
    }
    // Once, even with several bots.
    const once = { id: `digest:${id}`, team, channel, reader: null, content: null };
    if (items.length > 0) {
      const texts = await services.languages.ofChannel(team, channel, first.subscription.slack_user);
      await services.alerts.send({ ...once, message: digestMessage(items, every, texts) });
    }
    for (const subscription of wanted) await store.finishDigest(subscription, clock.now());
  }

  /** With the subscriber's rights. */
  async function digestItems(
    subscription: Subscription,
    every: DigestPlan['every'],
    due: number,
  ): Promise<DigestItem[]> {
    const { team, slack_user, content } = subscription;
    const linked = await clients.ofLink(team, slack_user);
    if (linked === null) return [];
    const { client } = linked;
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(10 * 60_000)]);
    const scope = scopeOf(subscription);
    const reading =
      scope === null
        ? client.getContent({ guid: content }, { signal }).then((item) => [item])
        : contentWithin(client, scope, signal);
    const found = await reading.catch((error: unknown) => {
      // Deleted content or tag, or a subscriber who is locked or whose key was revoked.
      if (error instanceof RefusedError && [401, 403, 404].includes(error.status)) return [];
      throw error;
    });
    const items: DigestItem[] = [];
    for (const item of found.slice(0, DIGEST_ITEMS)) {
      const from = due - (every === 'day' ? DAY : WEEK);
      const summary = await summarizeUsage({ client, contents: [item.guid], from, to: due, signal });
      items.push({ guid: item.guid, title: titleOf(item), url: item.url, summary });
    }
    return items;
  }

  async function forever(): Promise<void> {
    for (let failures = 0; !stop.signal.aborted;) {
      try {
        await endInClosedChannels(services);
        if (scans) await scan();
        await digests();
        failures = 0;
      } catch (error) {
        if (stop.signal.aborted) return;
        failures += 1;
        log.warn({ err: error, word: slackFailure(error).word }, 'watching failed');
      }
      await clock.sleep(Math.min(every * 2 ** Math.min(failures, 4), MAX_PAUSE_MS), stop.signal);
    }
  }
  const running = every === 0 ? Promise.resolve() : forever().catch(() => undefined);

  return {
    scan,
    digests,
    closedChannels: () => endInClosedChannels(services),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}
