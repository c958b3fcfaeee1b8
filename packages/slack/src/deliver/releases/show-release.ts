// Posts and edits the message of a release, with what its reader may see at that moment.
import type { Canary, Release } from '@pressroom/api/contract';
import { diagnose } from '@pressroom/api/publish';
import type { Message } from '../../blocks/blocks.ts';
import { inline } from '../../blocks/text.ts';
import type { ContentClients } from '../../link/content-clients.ts';
import type { Waiting } from '../../store/outbox.ts';
import type { ReleaseKey, ReleaseRow, ReleaseStepRow } from '../../store/releases.ts';
import type { DeliveryParts } from '../delivery-parts.ts';
import { findEarlier } from '../transport/find-earlier.ts';
import { sendWithFallback } from '../transport/send-with-fallback.ts';
import { slackFailure } from '../transport/slack-failure.ts';
import type { Mark, SlackPort } from '../transport/slack-port.ts';
import {
  failedStep,
  failureReply,
  latestRelease,
  OF_CANARIES,
  OF_DRAFTS,
  ownFailureMessage,
  releaseMessage,
  TO_BE_DECIDED,
  whoBegan,
  type ReleaseStanding,
  type ReleaseView,
} from './releases.ts';

/** Maximum mentioned people: a whole department would be spam. */
const MENTIONED = 8;

export interface ShownRelease {
  /** Whether people have to decide about it. */
  readonly isAsked: boolean;
  /** Event id of a failure that an edit showed, which notifies nobody; null otherwise. */
  readonly failure: string | null;
}

const NOTHING: ShownRelease = { isAsked: false, failure: null };

/**
 * Posts or updates the message of a bundle. @throws SlackFailure
 * @param reader whose rights count; null only updates it
 */
export async function showRelease(
  { store, slack, clients, languages }: Omit<DeliveryParts, 'log'>,
  key: ReleaseKey,
  reader: string | null,
): Promise<ShownRelease> {
  const found = await store.releases.find(key);
  if (found === null) return NOTHING;
  const { release } = found;
  const steps = latestRelease(found.steps);
  const last = steps.at(-1);
  // Before it was posted, the channel unsubscribed.
  if (release.ts === null && last?.what === 'left') return NOTHING;
  const { team, channel } = key;
  const texts = await languages.ofChannel(team, channel, reader);
  const message = releaseMessage(await viewOf({ store, clients }, found, reader), texts);
  const isAsked = steps.some(({ what }) => TO_BE_DECIDED.has(what));
  if (release.ts !== null) {
    const { ts } = release;
    await sendWithFallback(message, (shown) => slack.edit(team, channel, ts, shown));
    const failed = failedStep(steps);
    const seen = steps.findIndex(({ id }) => id === release.posted_step);
    const isNew = failed !== null && steps.indexOf(failed) > seen;
    return { isAsked, failure: isNew ? failed.id : null };
  }
  if (reader === null) return NOTHING;
  const { created_time: oldest } = release;
  const mark: Mark = { notice: `${key.content}:${key.bundle}:${oldest}`, part: 'release' };
  const { there, thread } = await lookFor(slack, { team, channel, mark, oldest }, release.thread);
  const where = { team, channel, mark, ...(thread !== null && { thread, broadcast: true }) };
  if (there !== null) {
    await store.releases.posted(key, there, last?.id);
    await sendWithFallback(message, (shown) => slack.edit(team, channel, there, shown));
  } else
    await sendWithFallback(message, async (shown) =>
      store.releases.posted(key, await slack.post({ ...where, message: shown }), last?.id),
    );
  return { isAsked, failure: null };
}

/** A release as its reader may see it now. */
export async function viewOf(
  { store, clients }: Pick<DeliveryParts, 'store' | 'clients'>,
  { release, steps: all }: { readonly release: ReleaseRow; readonly steps: readonly ReleaseStepRow[] },
  reader: string | null,
): Promise<ReleaseView> {
  const { team, content: guid, bundle, title, url } = release;
  const steps = latestRelease(all);
  const actor = whoBegan(steps);
  return {
    content: { guid, title, url },
    bundle,
    steps,
    standing: await readStanding({ store, clients }, release, reader),
    canary: steps.some(({ what }) => OF_CANARIES.has(what))
      ? await readCanary(clients, release, reader)
      : null,
    failure: await readFailure(clients, release, reader, steps),
    starter: actor === null ? null : await store.slackUserOf(team, actor),
  };
}

/** A failure after the message was posted, in its thread and the channel; nothing if it is over. */
export async function replyFailure(
  { store, slack, clients, languages }: Omit<DeliveryParts, 'log'>,
  { id, reader }: Pick<Waiting, 'id' | 'reader'>,
  key: ReleaseKey,
): Promise<void> {
  const found = await store.releases.find(key);
  const thread = found?.release.thread ?? found?.release.ts;
  if (!found || !thread || failedStep(latestRelease(found.steps)) === null) return;
  const { team, channel } = key;
  const texts = await languages.ofChannel(team, channel, reader);
  const message = failureReply(await viewOf({ store, clients }, found, reader), texts);
  const place = { team, channel, thread, mark: { notice: id, part: 'failed' } as const };
  if ((await findEarlier(slack, { ...place, oldest: found.release.created_time })) !== null) return;
  await sendWithFallback(
    message,
    async (shown) => void (await slack.post({ ...place, broadcast: true, message: shown })),
  );
}

/** To the person who began a draft that failed; null if it is over. */
export async function ownFailure(
  { store, clients, languages }: Pick<DeliveryParts, 'store' | 'clients' | 'languages'>,
  key: ReleaseKey,
  person: string,
): Promise<Message | null> {
  const found = await store.releases.find(key);
  if (!found || failedStep(latestRelease(found.steps)) === null) return null;
  return ownFailureMessage(
    await viewOf({ store, clients }, found, person),
    await languages.ofPerson(key.team, person),
  );
}

async function lookFor(
  slack: SlackPort,
  place: Omit<Parameters<SlackPort['findPosted']>[0], 'thread'>,
  thread: string | null,
): Promise<{ there: string | null; thread: string | null }> {
  try {
    return { there: await findEarlier(slack, { ...place, ...(thread !== null && { thread }) }), thread };
  } catch (error) {
    // The deploy's message was deleted: posted separately.
    if (slackFailure(error).word === 'thread_not_found') return { there: null, thread: null };
    throw error;
  }
}

/** With the reader's rights: events do not include required approvals. */
async function readStanding(
  { store, clients }: Pick<DeliveryParts, 'store' | 'clients'>,
  { team, content, bundle }: Pick<ReleaseRow, 'team' | 'content' | 'bundle'>,
  reader: string | null,
): Promise<ReleaseStanding | null> {
  const linked = reader === null ? null : await clients.ofLink(team, reader);
  const waiting: readonly Release[] | null =
    (await linked?.client.getReleases({ guid: content }).catch(() => null)) ?? null;
  const release = waiting?.find(({ bundle_id }) => bundle_id === bundle);
  if (!linked || !release) return null;
  const { approved, asked, stuck } = release;
  const mention = async (guid: string, otherwise: string) => {
    const user = await store.slackUserOf(team, guid);
    return user === null ? otherwise : `<@${user}>`;
  };
  const named = asked
    .slice(0, MENTIONED)
    .map(({ user_guid, username }) => mention(user_guid, inline(username, 100)));
  const more = asked.length > MENTIONED ? ['…'] : [];
  const owner = stuck ? await linked.client.getContent({ guid: content }).catch(() => null) : null;
  const askedOwner = owner === null ? '' : await mention(owner.owner_guid, '');
  return {
    isApproved: approved,
    asked: [...(await Promise.all(named)), ...more],
    askedOwner: stuck ? askedOwner : null,
  };
}

/** With the reader's rights. */
async function readCanary(
  clients: ContentClients,
  { team, content, bundle }: Pick<ReleaseRow, 'team' | 'content' | 'bundle'>,
  reader: string | null,
): Promise<Canary | null> {
  const linked = reader === null ? null : await clients.ofLink(team, reader);
  const canary = (await linked?.client.getCanary({ guid: content }).catch(() => null)) ?? null;
  return canary?.bundle_id === bundle ? canary : null;
}

/** With the reader's rights. */
async function readFailure(
  clients: ContentClients,
  { team }: Pick<ReleaseRow, 'team'>,
  reader: string | null,
  steps: ReleaseView['steps'],
): Promise<ReleaseView['failure']> {
  const last = steps.findLast(({ what }) => OF_DRAFTS.has(what));
  if (last?.what !== 'draft_failed' || last.draft_task === null || reader === null) return null;
  const linked = await clients.ofLink(team, reader);
  const read = linked?.client.getTask({ id: last.draft_task, first: 0, wait: 0 });
  const task = (await read?.catch(() => null)) ?? null;
  if (task === null) return null;
  // The output of work that was stopped does not explain why.
  return { diagnosis: task.end_reason ? null : diagnose(task.output), error: task.error };
}
