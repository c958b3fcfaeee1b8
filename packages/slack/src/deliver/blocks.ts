// What a watched deploy shows: its live message, and the result in the thread.
import type { Diagnosis } from '@pressroom/api/publish';
import { actions, button, context, section, type AnyBlock, type Message } from '../blocks/blocks.ts';
import { fit } from '../blocks/fit.ts';
import { codeBlock, count, inline, line, link, span } from '../blocks/text.ts';

export type DeployState = 'running' | 'succeeded' | 'failed' | 'unknown';

export interface LiveDeploy {
  /** The notice's ID, for the buttons. */
  readonly id: string;
  /** GUID of the content. */
  readonly content: string;
  readonly title: string;
  readonly url: string | null;
  readonly bundle: string | null;
  /** What was active when it started. */
  readonly previous: string | null;
  readonly task: string | null;
  readonly who: string;
  readonly via: string;
  /** The Slack user who started it; null where that is not known. */
  readonly starter: string | null;
  readonly state: DeployState;
  readonly phase: number;
  /** Seconds. */
  readonly elapsed: number;
  /** The last lines of its output. */
  readonly lines: readonly string[];
  readonly lineCount: number;
  readonly error: string;
  /** Why there is no news at the moment; empty while all is well. */
  readonly trouble: string;
  readonly diagnosis: Diagnosis | null;
  /** The entry in the server's audit log; null for no link. */
  readonly auditUrl: string | null;
}

const PHASES = ['Queued', 'Preparing', 'Building', 'Activating'];
/** Lines of output in a live message. */
const LINES_SHOWN = 8;
const LINES_IN_RESULT = 15;

const SIGNS: Readonly<Record<DeployState, string>> = {
  running: ':hourglass_flowing_sand:',
  succeeded: ':white_check_mark:',
  failed: ':x:',
  unknown: ':grey_question:',
};
const OUTCOMES: Readonly<Record<DeployState, string>> = {
  running: 'is deploying',
  succeeded: 'is live',
  failed: 'failed to deploy',
  unknown: 'has an unknown deploy status',
};

export function liveMessage(deploy: LiveDeploy): Message {
  const { state, title, url, lines, lineCount, elapsed, bundle, task } = deploy;
  const headline = `${SIGNS[state]} *${link(url, title)}* ${OUTCOMES[state]}`;
  const facts = [
    `by ${inline(deploy.who)} ${inline(deploy.via)}`,
    ...(bundle === null ? [] : [`bundle ${inline(bundle)}`]),
    span(elapsed),
    ...(task === null ? [] : [`task ${inline(task)}`]),
    ...(deploy.auditUrl === null ? [] : [link(deploy.auditUrl, 'audit log')]),
  ];
  const quiet = state === 'succeeded';
  const shown = state === 'failed' ? foldTraceback(lines) : lines;
  return fit({
    text: `${inline(title)} ${OUTCOMES[state]}`,
    blocks: [
      section(headline),
      context(facts.join(' · ')),
      ...(state === 'failed' ? failureBlocks(deploy) : []),
      ...(state === 'running' ? [context(phaseLine(deploy.phase))] : []),
      ...(state === 'running' && deploy.trouble !== ''
        ? [context(`:warning: ${inline(deploy.trouble, 300)}`)]
        : []),
      ...(lines.length === 0 || quiet ? [] : [section(codeBlock(shown.slice(-LINES_SHOWN), 2800))]),
      ...(lineCount > lines.length && !quiet
        ? [context(`${count(lineCount, 'line')} of output so far`)]
        : []),
      liveButtons(deploy),
    ],
  });
}

function phaseLine(phase: number): string {
  return PHASES.map((name, i) => (i < phase ? `✓ ${name}` : i === phase ? `*${name} …*` : name)).join(
    '  ›  ',
  );
}

function failureBlocks({ diagnosis, error, previous }: LiveDeploy): AnyBlock[] {
  const cause = diagnosis?.line ?? error;
  return [
    ...(cause === '' ? [] : [section(`*Cause* ${codeBlock([cause], 1500)}`)]),
    ...(previous === null ? [] : [context(`Bundle ${inline(previous)} is still live.`)]),
    ...(diagnosis?.hint ? [context(`:bulb: ${inline(diagnosis.hint, 400)}`)] : []),
  ];
}

function liveButtons({ id, url, state, title, content, bundle, previous }: LiveDeploy): AnyBlock {
  const ended = state !== 'running';
  const confirm = {
    title: 'Redeploy?',
    text: `This deploys the same bundle of *${inline(title, 100)}* again, with your account.`,
    yes: 'Redeploy',
  };
  return actions(
    ...(url === null ? [] : [button('open', 'Open', '', { url })]),
    button('notice:logs', 'Logs', id),
    ...(bundle !== null && previous !== null && bundle !== previous
      ? [
          button(
            'run:changes',
            'Changes',
            `changes ${content} --bundle ${line(bundle, 20)} --since ${line(previous, 20)}`,
          ),
        ]
      : []),
    ...(ended ? [button('notice:redeploy', 'Redeploy', id, { confirm })] : []),
    // Of a deploy that failed there is nothing to roll back: what was live before still is.
    ...(state === 'succeeded' || state === 'unknown' ? [button('notice:rollback', 'Roll back…', id)] : []),
  );
}

/** The reply in the thread when the deploy has ended. */
export function resultMessage(deploy: LiveDeploy): Message {
  const { state, title, url, elapsed, error, lines } = deploy;
  const summary = `${SIGNS[state]} *${link(url, title)}* ${OUTCOMES[state]} after ${span(elapsed)}`;
  if (state === 'succeeded') return fit({ text: `${inline(title)} is live`, blocks: [section(summary)] });
  const folded = foldTraceback(lines);
  return fit({
    text: `${inline(title)} ${OUTCOMES[state]}`,
    blocks: [
      section(`${mention(deploy)}${summary}${error === '' ? '' : `\n${inline(error, 500)}`}`),
      ...failureBlocks(deploy),
      ...(folded.length > 0 ? [section(codeBlock(folded.slice(-LINES_IN_RESULT), 1500))] : []),
    ],
  });
}

/** Tells the person who started a deploy that it failed: an edit tells nobody. */
function mention({ state, starter }: LiveDeploy): string {
  return state === 'failed' && starter !== null && /^[A-Z0-9]{2,32}$/.test(starter) ? `<@${starter}> ` : '';
}

/** To the person who started a deploy that failed. */
export function starterMessage(deploy: LiveDeploy): Message {
  const { id, title, url, elapsed } = deploy;
  return fit({
    text: `Your deploy of ${inline(title)} failed`,
    blocks: [
      section(`:x: Your deploy of *${link(url, title)}* failed after ${span(elapsed)}.`),
      ...failureBlocks(deploy),
      actions(button('notice:logs', 'Logs', id), button('notice:redeploy', 'Redeploy', id)),
    ],
  });
}

/** Hides the frames between the first line of a traceback and its error. */
export function foldTraceback(lines: readonly string[]): string[] {
  const shown: string[] = [];
  let hidden = 0;
  let inside = false;
  for (const line of lines) {
    if (inside && /^\s/.test(line)) {
      hidden += 1;
      continue;
    }
    if (hidden > 0) shown.push(`  … ${count(hidden, 'line')} hidden`);
    hidden = 0;
    inside = /^\s*(Traceback \(most recent call last\)|Backtrace:|Calls: )/.test(line);
    shown.push(line);
  }
  if (hidden > 0) shown.push(`  … ${count(hidden, 'line')} hidden`);
  return shown;
}
