// A release in a channel: one message in the thread of its deploy, edited with each step until the bundle is live.
import type { Canary, CanaryFigures, Release } from '@pressroom/api/contract';
import { diagnose } from '@pressroom/api/publish';
import { actions, button, context, section, type AnyBlock, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { inline, line, link, moment } from '../../blocks/text.ts';
import type { ContentClients } from '../../link/content-clients.ts';
import type { ReleaseKey, ReleaseRow, ReleaseStepRow } from '../../store/releases.ts';
import type { Texts } from '../../texts/en.ts';
import { reasonOf } from '../../texts/explain.ts';
import type { DeliveryParts } from '../delivery-parts.ts';
import { causeBlocks, type LiveDeploy } from '../deploys/blocks.ts';
import type { Subject } from '../subject.ts';
import { findEarlier } from '../transport/find-earlier.ts';
import { sendWithFallback } from '../transport/send-with-fallback.ts';
import { slackFailure } from '../transport/slack-failure.ts';
import type { Mark, SlackPort } from '../transport/slack-port.ts';

export type ReleaseState = ReleaseStepRow['what'];

/**
 * A step of a release. Draft: started, ready, failed, cancelled, ended. Approval: requested, given, overridden. Live. Canary: started,
 * waiting for a decision, rolled back, replaced. Withdrawn.
 */
export interface ReleaseStep extends Subject {
  readonly what: ReleaseState;
  readonly bundle: string;
  readonly who: string;
  /** For a canary or what ended or was withdrawn, the reason; for a draft, its address. */
  readonly reason?: string | null;
  /** The server's code for the reason, if it has one. */
  readonly reason_code?: string | null;
  readonly reason_detail?: string | null;
  /** The deploy that got the draft or canary ready, or failed to. */
  readonly draft_task?: string | null;
}

export interface ReleaseView {
  readonly content: Subject['content'];
  readonly bundle: string;
  readonly steps: readonly Pick<
    ReleaseStepRow,
    'what' | 'who' | 'time' | 'reason' | 'reason_code' | 'reason_detail' | 'draft_task'
  >[];
  /** The server's state of the release; null if unknown. */
  readonly standing: ReleaseStanding | null;
  /** Its current figures; null if there are none, or the reader may not see them. */
  readonly canary: Pick<Canary, 'canary' | 'live'> | null;
  /** Why its draft failed; null if it did not, or the reader may not see why. */
  readonly failure: Pick<LiveDeploy, 'diagnosis' | 'error'> | null;
}

export interface ReleaseStanding {
  readonly isApproved: boolean;
  /** Approvers as mrkdwn: mentions of people who linked their account, names of others. */
  readonly asked: readonly string[];
  /** If it is stuck: who can fix it, as mrkdwn, or an empty string if unknown; else null. */
  readonly askedOwner: string | null;
}

const SIGNS: Readonly<Record<ReleaseState, string>> = {
  preparing: ':hourglass_flowing_sand:',
  draft: ':pencil2:',
  draft_failed: ':x:',
  draft_cancelled: ':no_entry_sign:',
  draft_ended: ':no_entry_sign:',
  held: ':eyes:',
  asked: ':raised_hand:',
  approved: ':white_check_mark:',
  overridden: ':warning:',
  live: ':white_check_mark:',
  canary: ':hatching_chick:',
  waiting: ':hatching_chick:',
  back: ':rewind:',
  replaced: ':fast_forward:',
  withdrawn: ':no_entry_sign:',
};
/** Maximum mentioned people: a whole department would be spam. */
const MENTIONED = 8;
/** Maximum steps shown, newest first. */
const SHOWN = 8;
/** Later steps belong to another release of the bundle. */
const FINAL_STATES: ReadonlySet<ReleaseState> = new Set(['live', 'back', 'replaced', 'withdrawn']);
/** After its release ended, a bundle is a draft or canary again, or a new rendering of the live bundle is held. */
const BEGINS_ANOTHER: ReadonlySet<ReleaseState> = new Set(['preparing', 'held']);
/** States from which somebody can make it live. */
const MAY_GO_LIVE: ReadonlySet<ReleaseState> = new Set([
  'draft',
  'held',
  'approved',
  'overridden',
  'canary',
  'waiting',
]);
const OF_DRAFTS: ReadonlySet<ReleaseState> = new Set([
  'preparing',
  'draft',
  'draft_failed',
  'draft_cancelled',
  'draft_ended',
]);
/** States in which people decide, and need context. */
const TO_BE_DECIDED: ReadonlySet<ReleaseState> = new Set(['draft', 'held', 'asked', 'canary']);
const OF_APPROVALS: ReadonlySet<ReleaseState> = new Set(['asked', 'approved', 'overridden']);
const OPEN_CANARY: ReadonlySet<ReleaseState> = new Set(['canary', 'waiting']);
const OF_CANARIES: ReadonlySet<ReleaseState> = new Set(['canary', 'waiting', 'back', 'replaced']);

export function releaseMessage(
  { content, bundle, steps, standing, canary, failure }: ReleaseView,
  texts: Texts,
): Message {
  const { releases, buttons } = texts;
  const state = stateOf(steps, standing?.isApproved ?? null);
  const id = inline(bundle, 20);
  const guid = line(content.guid, 64);
  const option = `--bundle ${line(bundle, 20)}`;
  // What the message shows goes live, not what has replaced it.
  const task = steps.findLast(({ what }) => what === state)?.draft_task ?? null;
  const shown = task === null ? option : `${option} --task ${line(task, 64)}`;
  // A canary runs on while it waits for the approvals to go live.
  const lacks = OPEN_CANARY.has(state) && standing !== null && !standing.isApproved;
  const waits = state === 'asked' || lacks;
  const isFailed = state === 'draft_failed';
  const last = FINAL_STATES.has(state) ? null : steps.findLast(({ what }) => OF_DRAFTS.has(what));
  const draft = last?.what === 'draft' ? last : null;
  const held = state === 'held' && content.url !== null ? `${content.url}_bundle${line(bundle, 20)}/` : null;
  const draftUrl = held ?? draft?.reason ?? null;
  const told = latestRelease(steps)
    .slice(-SHOWN)
    .map(({ what, who, time, ...why }) => {
      const step = releases.step[what](inline(who, 100), moment(time));
      const reason = what === 'draft' ? null : reasonOf({ who, ...why }, texts.code);
      return reason === null ? step : `${step}: ${inline(reason, 300)}`;
    });
  return fit({
    text: releases.state[state](id, inline(content.title)),
    blocks: [
      section(`${SIGNS[state]} ${releases.state[state](id, `*${link(content.url, content.title)}*`)}`),
      ...(waits && standing !== null ? askedBlocks(standing, texts) : []),
      ...told.map((text) => context(text)),
      ...(isFailed && failure !== null ? causeBlocks(failure, texts) : []),
      ...(canary === null ? [] : [context(figures(canary, texts))]),
      // Bundle and content may be deleted.
      ...(state === 'withdrawn' || state === 'draft_ended'
        ? []
        : [
            actions(
              ...(waits ? [button('run:approve', buttons.approve, `approve ${guid} ${option}`)] : []),
              ...(MAY_GO_LIVE.has(state) && !lacks
                ? [button('run:deploy', buttons.makeLive, `deploy ${guid} ${shown}`)]
                : []),
              ...(draftUrl === null ? [] : [button('open', buttons.openDraft, '', { url: draftUrl })]),
              ...(isFailed && task !== null
                ? [button('run:logs', buttons.logs, `logs ${line(task, 64)}`)]
                : []),
              button('run:changes', buttons.changes, `changes ${guid} ${option}`),
              ...(OF_APPROVALS.has(state) || lacks
                ? [button('run:releases', buttons.approvals, `releases ${guid}`)]
                : []),
            ),
          ]),
    ],
  });
}

function figures({ canary, live }: Pick<Canary, 'canary' | 'live'>, { releases, number }: Texts): string {
  const side = ({ requests, errors, p90_ms }: CanaryFigures) =>
    releases.side(requests, errors, p90_ms === null ? '–' : `${number(p90_ms)} ms`);
  return releases.figures(side(canary), side(live));
}

/** Approvers are mentioned in a section, since Slack does not notify for mentions in a context block. */
function askedBlocks({ asked, askedOwner }: ReleaseStanding, { releases }: Texts): AnyBlock[] {
  if (askedOwner !== null) return [section(releases.stuck(askedOwner))];
  return asked.length === 0 ? [] : [section(releases.canApprove(asked.join(', ')))];
}

/** Events may arrive in any order: the most advanced state counts. */
function stateOf(all: ReleaseView['steps'], isApproved: boolean | null): ReleaseState {
  const steps = currentRelease(all);
  const has = (what: ReleaseState) => steps.some((step) => step.what === what);
  if (has('withdrawn')) return 'withdrawn';
  if (steps.at(-1)?.what === 'held') return 'held';
  if (has('live')) return 'live';
  const canary = steps.findLast(({ what }) => OF_CANARIES.has(what));
  // A canary keeps its draft until its end: bundle and content are gone.
  const isGone = steps.at(-1)?.what === 'draft_ended' && !isEnded(all);
  if (canary) return isGone ? 'draft_ended' : canary.what;
  if (has('overridden')) return 'overridden';
  if (has('approved') && isApproved !== false) return 'approved';
  const draft = steps.findLast(({ what }) => OF_DRAFTS.has(what));
  return draft && !has('asked') && !has('approved') ? draft.what : 'asked';
}

/** Whether it is live, rolled back, replaced or withdrawn. */
export function isEnded(steps: ReleaseView['steps']): boolean {
  return currentRelease(steps).some(({ what }) => FINAL_STATES.has(what));
}

/** The steps since the last of its releases began. */
export function latestRelease<Step extends Pick<ReleaseStepRow, 'what'>>(
  steps: readonly Step[],
): readonly Step[] {
  let start = 0;
  let isOver = false;
  for (const [at, { what }] of steps.entries()) {
    if (isOver && BEGINS_ANOTHER.has(what)) [start, isOver] = [at, false];
    isOver ||= FINAL_STATES.has(what);
  }
  return steps.slice(start);
}

/** A bundle can be withdrawn, or replaced, and requested again. */
function currentRelease(all: ReleaseView['steps']): ReleaseView['steps'] {
  const steps = latestRelease(all);
  const withdrawn = steps.findLastIndex(({ what }) => what === 'withdrawn');
  const isFollowed = withdrawn < steps.length - 1;
  const again = steps.findLastIndex(
    ({ what }, at) => what === 'asked' && steps.slice(0, at).some((step) => FINAL_STATES.has(step.what)),
  );
  return steps.slice(Math.max(withdrawn + (isFollowed ? 1 : 0), again, 0));
}

/** Adds a step to a channel's message about a bundle; after the end of its release, another one has another message. */
export async function addReleaseStep(
  { store }: Pick<DeliveryParts, 'store'>,
  key: ReleaseKey,
  {
    id,
    what,
    who,
    time,
    content,
    reason = null,
    reason_code = null,
    reason_detail = null,
    draft_task = null,
  }: ReleaseStep,
): Promise<void> {
  const near = await store.notices.ofContent(key.content, 50);
  const deploy = near.find(
    ({ team, channel, bundle }) => team === key.team && channel === key.channel && bundle === key.bundle,
  );
  const { title, url } = content;
  const known = BEGINS_ANOTHER.has(what) ? await store.releases.find(key) : null;
  const last = known?.steps.at(-1);
  if (known && last && last.time < time && isEnded(known.steps)) await store.releases.restart(known.release);
  await store.releases.add(
    { ...key, title, url, thread: deploy?.thread ?? deploy?.ts ?? null },
    { id, what, who, time, reason, reason_code, reason_detail, draft_task },
  );
}

/**
 * Posts or updates the message of a bundle. @throws SlackFailure
 * @param reader whose rights count; null only updates it
 * @returns whether people have to decide about it
 */
export async function showRelease(
  { store, slack, clients, languages }: Omit<DeliveryParts, 'log'>,
  key: ReleaseKey,
  reader: string | null,
): Promise<boolean> {
  const found = await store.releases.find(key);
  if (found === null) return false;
  const { release } = found;
  const steps = latestRelease(found.steps);
  const { team, channel } = key;
  const texts = await languages.ofChannel(team, channel, reader);
  const message = releaseMessage(
    {
      content: { guid: key.content, title: release.title, url: release.url },
      bundle: key.bundle,
      steps,
      standing: await readStanding({ store, clients }, key, reader),
      canary: steps.some(({ what }) => OF_CANARIES.has(what)) ? await readCanary(clients, key, reader) : null,
      failure: await readFailure(clients, key, reader, steps),
    },
    texts,
  );
  const isAsked = steps.some(({ what }) => TO_BE_DECIDED.has(what));
  if (release.ts !== null) {
    const { ts } = release;
    await sendWithFallback(message, (shown) => slack.edit(team, channel, ts, shown));
    return isAsked;
  }
  if (reader === null) return false;
  const { created_time: oldest } = release;
  const mark: Mark = { notice: `${key.content}:${key.bundle}:${oldest}`, part: 'release' };
  const { there, thread } = await lookFor(slack, { team, channel, mark, oldest }, release.thread);
  const where = { team, channel, mark, ...(thread !== null && { thread, broadcast: true }) };
  if (there !== null) {
    await store.releases.posted(key, there);
    await sendWithFallback(message, (shown) => slack.edit(team, channel, there, shown));
    return isAsked;
  }
  await sendWithFallback(message, async (shown) =>
    store.releases.posted(key, await slack.post({ ...where, message: shown })),
  );
  return isAsked;
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
