// Messages of an announced deploy: the live message, and the result in the thread.
import type { BundleCommit, TaskEndReason } from '@pressroom/api/contract';
import type { Diagnosis } from '@pressroom/api/publish';
import { actions, button, context, section, type AnyBlock, type Message } from '../../blocks/blocks.ts';
import { commitText } from '../../blocks/commit.ts';
import { fit } from '../../blocks/fit.ts';
import { labelOf } from '../../blocks/names.ts';
import { codeBlock, inline, line, link, mentionOf } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';
import { remedy } from '../../texts/explain.ts';

export type DeployOutcome = 'running' | 'succeeded' | 'failed' | TaskEndReason | 'unknown';

export interface LiveDeploy {
  /** ID of the notice, for buttons. */
  readonly id: string;
  /** GUID of the content. */
  readonly content: string;
  readonly title: string;
  readonly url: string | null;
  readonly bundle: string | null;
  /** The active bundle at its start. */
  readonly previous: string | null;
  readonly task: string | null;
  readonly who: string;
  readonly via: string;
  /** The Slack user who started it; null if unknown. */
  readonly starter: string | null;
  readonly state: DeployOutcome;
  readonly phase: number;
  /** Seconds. */
  readonly elapsed: number;
  /** Its last lines of output. */
  readonly lines: readonly string[];
  readonly lineCount: number;
  readonly error: string;
  /** Why there is no news at the moment; empty if all is well. */
  readonly trouble: string;
  readonly diagnosis: Diagnosis | null;
  /** Commit of its bundle; null if unknown. */
  readonly commit: BundleCommit | null;
  /** Address of the audit log entry; null for no link. */
  readonly auditUrl: string | null;
  /** Whether the workspace supports `plan` blocks. */
  readonly plans: boolean;
}

/** Maximum lines of output in a live message. */
const LINES_SHOWN = 8;
const LINES_IN_RESULT = 15;

const SIGNS: Readonly<Record<DeployOutcome, string>> = {
  running: ':hourglass_flowing_sand:',
  succeeded: ':white_check_mark:',
  failed: ':x:',
  cancelled: ':no_entry_sign:',
  interrupted: ':warning:',
  unknown: ':grey_question:',
};
const NOT_LIVE: ReadonlySet<DeployOutcome> = new Set(['failed', 'cancelled', 'interrupted']);

export function liveMessage(deploy: LiveDeploy, texts: Texts): Message {
  const words = texts.live;
  const { state, title, lines, lineCount, elapsed, bundle, task } = deploy;
  const headline = `${SIGNS[state]} *${linkOf(deploy)}* ${words.state[state]}`;
  const facts = [
    words.by(inline(deploy.who), inline(labelOf(words.via, deploy.via))),
    ...(bundle === null ? [] : [words.bundle(inline(bundle))]),
    texts.span(elapsed),
    ...(task === null ? [] : [words.task(inline(task))]),
    ...(deploy.auditUrl === null ? [] : [link(deploy.auditUrl, words.auditLog)]),
  ];
  const quiet = state !== 'running';
  return fit({
    text: `${inline(title)} ${words.state[state]}`,
    blocks: [
      section(headline),
      context(facts.join(' · ')),
      ...(deploy.commit === null ? [] : [context(commitText(deploy.commit, texts))]),
      // The cause of a failure is only in the thread, which the channel sees, too.
      ...(NOT_LIVE.has(state) ? stillLive(deploy, texts) : []),
      ...(state === 'running' ? [phases(deploy, texts)] : []),
      ...(state === 'running' && deploy.trouble !== ''
        ? [context(`:warning: ${inline(deploy.trouble, 300)}`)]
        : []),
      ...(lines.length === 0 || quiet ? [] : [section(codeBlock(lines.slice(-LINES_SHOWN), 2800))]),
      ...(lineCount > lines.length && !quiet ? [context(words.output(lineCount))] : []),
      ...liveButtons(deploy, texts),
    ],
  });
}

/** Progress by step. */
function phases({ id, phase, plans }: LiveDeploy, { live }: Texts): AnyBlock {
  if (plans)
    return {
      type: 'plan',
      title: live.phases[phase] ?? live.state.running,
      tasks: live.phases.map((title, i) => ({
        task_id: `${id.slice(0, 200)}:${i}`,
        title,
        status: i < phase ? 'complete' : i === phase ? 'in_progress' : 'pending',
      })),
    };
  const steps = live.phases.map((name, i) => (i < phase ? `✓ ${name}` : i === phase ? `*${name} …*` : name));
  return context(steps.join('  ›  '));
}

export function causeBlocks(
  { diagnosis, error }: Pick<LiveDeploy, 'diagnosis' | 'error'>,
  { words, code }: Texts,
): AnyBlock[] {
  const hint = remedy(diagnosis, code);
  const cause = diagnosis?.line ?? error;
  return [
    ...(cause === '' ? [] : [section(`*${words.cause}* ${codeBlock([cause], 1500)}`)]),
    ...(hint === '' ? [] : [context(`:bulb: ${inline(hint, 400)}`)]),
  ];
}

function stillLive({ previous }: LiveDeploy, { live }: Texts): AnyBlock[] {
  return previous === null ? [] : [context(live.stillLive(inline(previous)))];
}

/** After a first deploy that did not end well, nothing is at its address. */
function isNowhere({ state, previous }: LiveDeploy): boolean {
  return NOT_LIVE.has(state) && previous === null;
}

function linkOf(deploy: LiveDeploy): string {
  return link(isNowhere(deploy) ? null : deploy.url, deploy.title);
}

function liveButtons(deploy: LiveDeploy, { buttons, live }: Texts): AnyBlock[] {
  const { id, url, state, title, content, bundle, previous } = deploy;
  // Clients delete the content of a first deploy that is cancelled.
  if (isNowhere(deploy) && state === 'cancelled') return [];
  const ended = state !== 'running';
  const confirm = {
    title: live.redeployTitle,
    text: live.redeployText(inline(title, 100)),
    yes: buttons.redeploy,
    no: buttons.cancel,
  };
  return [
    actions(
      ...(url === null || isNowhere(deploy) ? [] : [button('open', buttons.open, '', { url })]),
      button('notice:logs', buttons.logs, id),
      ...(bundle !== null && previous !== null && bundle !== previous
        ? [
            button(
              'run:changes',
              buttons.changes,
              `changes ${content} --bundle ${line(bundle, 20)} --since ${line(previous, 20)}`,
            ),
          ]
        : []),
      ...(ended ? [button('notice:redeploy', buttons.redeploy, id, { confirm })] : []),
      // After a failure there is nothing to roll back: the previous bundle is still live.
      ...(state === 'succeeded' || state === 'unknown'
        ? [button('notice:rollback', buttons.rollBackAsk, id)]
        : []),
    ),
  ];
}

/** The reply in the thread at the end of the deploy. */
export function resultMessage(deploy: LiveDeploy, texts: Texts): Message {
  const { state, title, elapsed, error, lines, diagnosis } = deploy;
  const summary = `${SIGNS[state]} *${linkOf(deploy)}* ${texts.live.state[state]} ${texts.live.after(texts.span(elapsed))}`;
  if (state === 'succeeded')
    return fit({ text: `${inline(title)} ${texts.live.state.succeeded}`, blocks: [section(summary)] });
  // If the cause is known, the lines would repeat it: they are in the log. Those of work that was stopped do not explain why.
  const isExplained = diagnosis !== null || state === 'cancelled' || state === 'interrupted';
  const folded = !isExplained ? foldTraceback(lines, texts) : [];
  // The error often repeats the line, in words before it.
  const isTold = diagnosis === null || error.includes(diagnosis.line) || diagnosis.line.includes(error);
  const told = isTold ? '' : error;
  return fit({
    text: `${inline(title)} ${texts.live.state[state]}`,
    blocks: [
      section(`${mention(deploy)}${summary}${told === '' ? '' : `\n${inline(told, 500)}`}`),
      // The server's error would only say again that it was cancelled.
      ...(state === 'cancelled' && diagnosis === null ? [] : causeBlocks(deploy, texts)),
      ...(folded.length > 0 ? [section(codeBlock(folded.slice(-LINES_IN_RESULT), 1500))] : []),
    ],
  });
}

/** Mentions the person who started a failed deploy: edits notify nobody. */
function mention({ state, starter }: LiveDeploy): string {
  const isFailed = state === 'failed' || state === 'interrupted';
  return isFailed ? mentionOf(starter) : '';
}

/** To the person who started a failed deploy. */
export function starterMessage(deploy: LiveDeploy, texts: Texts): Message {
  const { id, title, elapsed, state } = deploy;
  const { yours, yoursAfter, interrupted } = texts.live;
  const after = texts.span(elapsed);
  const isInterrupted = state === 'interrupted';
  return fit({
    text: isInterrupted ? interrupted.yours(inline(title)) : yours(inline(title)),
    blocks: [
      section((isInterrupted ? interrupted.yoursAfter : yoursAfter)(linkOf(deploy), after)),
      ...causeBlocks(deploy, texts),
      ...stillLive(deploy, texts),
      actions(
        button('notice:logs', texts.buttons.logs, id),
        button('notice:redeploy', texts.buttons.redeploy, id),
      ),
    ],
  });
}

/** Hides frames between the first line of a traceback and its error. */
export function foldTraceback(lines: readonly string[], { live }: Texts): string[] {
  const shown: string[] = [];
  let hidden = 0;
  let inside = false;
  for (const line of lines) {
    if (inside && /^\s/.test(line)) {
      hidden += 1;
      continue;
    }
    if (hidden > 0) shown.push(`  ${live.hidden(hidden)}`);
    hidden = 0;
    inside = /^\s*(Traceback \(most recent call last\)|Backtrace:|Calls: )/.test(line);
    shown.push(line);
  }
  if (hidden > 0) shown.push(`  ${live.hidden(hidden)}`);
  return shown;
}
