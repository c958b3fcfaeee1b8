// A release in a channel: its steps, and its one message in the thread of its deploy, edited with each step until the
// bundle is live.
import type { Canary, CanaryFigures } from '@pressroom/api/contract';
import type { Button } from '@slack/types';
import { actions, button, context, section, type AnyBlock, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { inline, line, link, mentionOf, moment } from '../../blocks/text.ts';
import type { ReleaseKey, ReleaseStepRow } from '../../store/releases.ts';
import type { Texts } from '../../texts/en.ts';
import { reasonOf } from '../../texts/explain.ts';
import type { DeliveryParts } from '../delivery-parts.ts';
import { causeBlocks, type LiveDeploy } from '../deploys/blocks.ts';
import type { Subject } from '../subject.ts';

export type ReleaseState = ReleaseStepRow['what'];

/**
 * A step of a release. Draft: started, ready, failed, cancelled, ended. Approval: requested, given, overridden. Live. Canary: started,
 * waiting for a decision, rolled back, replaced. Withdrawn. Left: the channel gets no more news of it.
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
  /** GUID of the account that acted. */
  readonly actor?: string | null;
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
  /** The Slack user who began what failed, to be mentioned; null if unknown. */
  readonly starter?: string | null;
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
  left: ':mute:',
};
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
export const OF_DRAFTS: ReadonlySet<ReleaseState> = new Set([
  'preparing',
  'draft',
  'draft_failed',
  'draft_cancelled',
  'draft_ended',
]);
/** States in which people decide, and need context. */
export const TO_BE_DECIDED: ReadonlySet<ReleaseState> = new Set(['draft', 'held', 'asked', 'canary']);
const OF_APPROVALS: ReadonlySet<ReleaseState> = new Set(['asked', 'approved', 'overridden']);
/** Who began it is mentioned. */
const FAILED: ReadonlySet<ReleaseState> = new Set(['draft_failed', 'back']);
/** States in which nothing is left to decide. */
const DECIDED: ReadonlySet<ReleaseState> = new Set([
  ...FINAL_STATES,
  'draft_failed',
  'draft_cancelled',
  'draft_ended',
  'left',
]);
/** Bundle and content may be deleted, or the message is no longer up to date. */
const WITHOUT_BUTTONS: ReadonlySet<ReleaseState> = new Set(['withdrawn', 'draft_ended', 'left']);
const OPEN_CANARY: ReadonlySet<ReleaseState> = new Set(['canary', 'waiting']);
export const OF_CANARIES: ReadonlySet<ReleaseState> = new Set(['canary', 'waiting', 'back', 'replaced']);

export function releaseMessage(view: ReleaseView, texts: Texts): Message {
  const { content, bundle, steps, standing, canary, failure } = view;
  const { releases, buttons } = texts;
  const state = stateOf(steps, standing?.isApproved ?? null);
  const id = inline(bundle, 20);
  const guid = line(content.guid, 64);
  const option = `--bundle ${line(bundle, 20)}`;
  // What the message shows goes live, not what has replaced it.
  const task = steps.findLast(({ what }) => what === state)?.draft_task ?? null;
  const shown = task === null ? option : `${option} --task ${line(task, 64)}`;
  const waits = waitsForApproval(state, standing);
  const lacks = waits && state !== 'asked';
  const approvals = approvalsButton(view, texts);
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
      ...headlineBlocks(view, texts),
      ...told.map((text) => context(text)),
      ...(isFailed && failure !== null ? causeBlocks(failure, texts) : []),
      ...(canary === null ? [] : [context(figures(canary, texts))]),
      ...(WITHOUT_BUTTONS.has(state)
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
              ...(approvals === null ? [] : [approvals]),
            ),
          ]),
    ],
  });
}

/** The list in which approvals are given; null for a release without any. */
export function approvalsButton(
  { content, steps, standing }: ReleaseView,
  { buttons }: Texts,
): Button | null {
  const state = stateOf(steps, standing?.isApproved ?? null);
  if (!OF_APPROVALS.has(state) && !waitsForApproval(state, standing)) return null;
  return button('run:releases', buttons.approvals, `releases ${line(content.guid, 64)}`);
}

/** Its state, and who may approve it or began what failed. */
export function headlineBlocks(
  { content, bundle, steps, standing, starter = null }: ReleaseView,
  texts: Texts,
  accessory?: Button,
): AnyBlock[] {
  const state = stateOf(steps, standing?.isApproved ?? null);
  const title = `*${link(content.url, content.title)}*`;
  const headline = `${SIGNS[state]} ${texts.releases.state[state](inline(bundle, 20), title)}`;
  const mention = FAILED.has(state) ? mentionOf(starter) : '';
  return [
    section(`${mention}${headline}`, accessory),
    ...(waitsForApproval(state, standing) && standing !== null ? askedBlocks(standing, texts) : []),
  ];
}

/** A canary runs on while it waits for the approvals to go live. */
function waitsForApproval(state: ReleaseState, standing: ReleaseStanding | null): boolean {
  return state === 'asked' || (OPEN_CANARY.has(state) && standing !== null && !standing.isApproved);
}

/** Why it failed, in the thread of a message that was edited: who began it is notified. */
export function failureReply({ content, bundle, steps, starter = null }: ReleaseView, texts: Texts): Message {
  const { releases } = texts;
  const failed = failedStep(steps);
  const state = failed?.what ?? 'draft_failed';
  const id = inline(bundle, 20);
  const reason = failed === null ? null : reasonOf(failed, texts.code);
  const headline = releases.state[state](id, `*${link(content.url, content.title)}*`);
  return fit({
    text: releases.state[state](id, inline(content.title)),
    blocks: [
      section(
        `${mentionOf(starter)}${SIGNS[state]} ${headline}${reason === null ? '' : `\n${inline(reason, 300)}`}`,
      ),
    ],
  });
}

/** To the person who began a draft that failed. */
export function ownFailureMessage({ content, bundle, steps, failure }: ReleaseView, texts: Texts): Message {
  const { releases, buttons } = texts;
  const id = inline(bundle, 20);
  const task = failedStep(steps)?.draft_task ?? null;
  return fit({
    text: releases.yours(id, inline(content.title)),
    blocks: [
      section(`${SIGNS.draft_failed} ${releases.yours(id, `*${link(content.url, content.title)}*`)}`),
      ...(failure === null ? [] : causeBlocks(failure, texts)),
      ...(task === null ? [] : [actions(button('run:logs', buttons.logs, `logs ${line(task, 64)}`))]),
    ],
  });
}

/** The step by which it failed; null if it did not, or something followed. */
export function failedStep<Step extends ReleaseView['steps'][number]>(steps: readonly Step[]): Step | null {
  const state = stateOf(steps, null);
  return FAILED.has(state) ? (steps.findLast(({ what }) => what === state) ?? null) : null;
}

/** GUID of the account that began what failed: of a canary, not who rolled it back. Null if unknown. */
export function whoBegan(steps: readonly ReleaseStepRow[]): string | null {
  const failed = failedStep(steps);
  const began = failed?.what === 'back' ? steps.findLast(({ what }) => what === 'canary') : null;
  return began?.actor ?? failed?.actor ?? null;
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

/** What the channel was told before its notifications ended is not up to date. */
function stateOf(all: ReleaseView['steps'], isApproved: boolean | null): ReleaseState {
  const known = all.filter(({ what }) => what !== 'left');
  const state = known.length === 0 ? 'left' : furthestOf(known, isApproved);
  const isLeft = all.findLast(({ what }) => what !== 'draft_ended')?.what === 'left';
  return isLeft && !DECIDED.has(state) ? 'left' : state;
}

/** Whether somebody may still decide about it. */
export function isOpen(steps: ReleaseView['steps'], isApproved: boolean | null = null): boolean {
  return !DECIDED.has(stateOf(latestRelease(steps), isApproved));
}

/** Events may arrive in any order: the most advanced state counts. */
function furthestOf(all: ReleaseView['steps'], isApproved: boolean | null): ReleaseState {
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
    actor = null,
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
    { id, what, who, time, reason, reason_code, reason_detail, draft_task, actor },
  );
}
