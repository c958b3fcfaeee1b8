// Posts digests of usage at the hour that the subscriber chose.
import type { ClientClock } from '@pressroom/api/client';
import { summarizeUsage } from '@pressroom/api/usage';
import { titleOf } from '../../blocks/names.ts';
import { mayChange } from '../../commands/shared/find-content.ts';
import type { Services } from '../../services.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import { isDenied, maySee } from '../subscriptions/content-seen.ts';
import { endSubscription, lostAccess } from '../subscriptions/end-subscription.ts';
import { digestPlanOf, digestTime, isQuiet, type DigestPlan } from '../subscriptions/quiet.ts';
import { contentWithin, scopeOf } from '../subscriptions/scopes.ts';
import { digestMessage, type DigestItem } from './digest.ts';

interface DigestOptions {
  readonly services: Services;
  readonly clock: ClientClock;
  readonly signal: AbortSignal;
}

interface DueDigest {
  readonly subscription: Subscription;
  readonly every: DigestPlan['every'];
  /** The period that it is about, in milliseconds. */
  readonly from: number;
  readonly due: number;
}

/** Maximum content items of one subscription in a digest. */
const DIGEST_ITEMS = 50;

/** Posts those that are due, each once, even with several bots. */
export async function postDigests(options: DigestOptions): Promise<void> {
  const { services, clock, signal } = options;
  const { store, log } = services;
  const now = clock.now();
  const open = (await store.dueDigests(now)).flatMap((subscription) => {
    const plan = digestPlanOf(subscription);
    if (plan === null || isQuiet(subscription.quiet, now, subscription.zone)) return [];
    const due = digestTime(now, plan);
    // A day of a clock change has 23 or 25 hours.
    const from = digestTime(due - 1, plan);
    return subscription.digest_time < due ? [{ subscription, every: plan.every, from, due }] : [];
  });
  // Other quiet hours mean another time, and a separate message.
  const posts = Map.groupBy(open, ({ subscription: { team, channel, quiet }, every, due }) =>
    [team, channel, every, due, ...(quiet ? [quiet] : [])].join(':'),
  );
  for (const [id, due] of posts) {
    await postDigest(options, id, due).catch((error: unknown) => {
      if (signal.aborted) throw error;
      log.warn({ err: error, digest: id }, 'a digest failed');
    });
  }
}

/** @param id of the message. @param all its parts, for one channel, due at the same time. */
async function postDigest(
  { services, clock, signal }: DigestOptions,
  id: string,
  all: readonly DueDigest[],
): Promise<void> {
  const { store, clients } = services;
  const [first] = all;
  if (first === undefined) return;
  const { every } = first;
  const { team, channel } = first.subscription;
  const wanted: Subscription[] = [];
  for (const { subscription } of all) {
    if (scopeOf(subscription) !== null) wanted.push(subscription);
    else if (await maySee(clients, subscription, subscription.content)) wanted.push(subscription);
    else await endSubscription(services, subscription, lostAccess(subscription.slack_name));
  }
  const items: DigestItem[] = [];
  for (const subscription of wanted) {
    for (const item of await digestItems({ clients, signal }, subscription, first))
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
  { clients, signal: stop }: { readonly clients: Services['clients']; readonly signal: AbortSignal },
  subscription: Subscription,
  { from, due }: Pick<DueDigest, 'from' | 'due'>,
): Promise<DigestItem[]> {
  const { team, slack_user, content } = subscription;
  const linked = await clients.ofLink(team, slack_user);
  if (linked === null) return [];
  const { client } = linked;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(10 * 60_000)]);
  const scope = scopeOf(subscription);
  const reading =
    scope === null
      ? client.getContent({ guid: content }, { signal }).then((item) => [item])
      : contentWithin(client, scope, signal);
  const found = await reading.catch((error: unknown) => {
    // Deleted content or tag, or a subscriber who is locked or whose key was revoked.
    if (isDenied(error)) return [];
    throw error;
  });
  if (found.length === 0) return [];
  // The server does not count for others.
  const me = await client.getCurrentUser({}, { signal });
  const counted = found.filter((item) => mayChange(item, me));
  const items: DigestItem[] = [];
  for (const item of counted.slice(0, DIGEST_ITEMS)) {
    const summary = await summarizeUsage({ client, contents: [item.guid], from, to: due, signal });
    items.push({ guid: item.guid, title: titleOf(item), url: item.url, summary });
  }
  return items;
}
