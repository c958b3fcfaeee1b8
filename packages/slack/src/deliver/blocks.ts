// A deploy the channel watches: the live message, its result, the questions before a redeploy or a rollback, logs.
import type { Diagnosis } from '@pressroom/api';
import type { ModalView } from '@slack/types';
import { actions, button, context, section, shareButton, type AnyBlock, type Message } from '../blocks/blocks.ts';
import { fit, fitModal } from '../blocks/fit.ts';
import { codeBlock, count, inline, line, link, span } from '../blocks/text.ts';

export type DeployState = 'running' | 'succeeded' | 'failed' | 'unknown';

export interface LiveDeploy {
  /** The notice's id: what the buttons are about. */
  readonly id: string;
  readonly title: string;
  readonly url: string | null;
  readonly bundle: string | null;
  readonly task: string | null;
  readonly who: string;
  readonly via: string;
  readonly state: DeployState;
  readonly phase: number;
  /** Seconds. */
  readonly elapsed: number;
  /** The last lines of its output. */
  readonly lines: readonly string[];
  readonly lineCount: number;
  readonly error: string;
  /** Why nothing new is known just now; empty while all is well. */
  readonly trouble: string;
  readonly diagnosis: Diagnosis | null;
  /** Where the audit log of the server stands; null when it has none to show. */
  readonly auditUrl: string | null;
}

export const PHASES = ['Queued', 'Preparing', 'Building', 'Going live'] as const;
/** Lines of output in a live message. */
export const LINES_SHOWN = 8;
const LINES_IN_RESULT = 15;

const SIGNS: Readonly<Record<DeployState, string>> = {
  running: ':hourglass_flowing_sand:',
  succeeded: ':white_check_mark:',
  failed: ':x:',
  unknown: ':grey_question:',
};
const VERBS: Readonly<Record<DeployState, string>> = {
  running: 'is being deployed',
  succeeded: 'is live',
  failed: 'was not deployed',
  unknown: ': how its deploy ended is not known',
};

export function liveMessage(deploy: LiveDeploy): Message {
  const { state, title, url, lines, lineCount, elapsed, bundle, task } = deploy;
  const headline = `${SIGNS[state]} *${link(url, title)}* ${VERBS[state]}`;
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
    text: `${inline(title)} ${VERBS[state]}`,
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

function failureBlocks({ diagnosis, error }: LiveDeploy): AnyBlock[] {
  const cause = diagnosis?.line ?? error;
  return [
    ...(cause === '' ? [] : [section(`*Cause* ${codeBlock([cause], 1500)}`)]),
    ...(diagnosis?.hint ? [context(`:bulb: ${inline(diagnosis.hint, 400)}`)] : []),
  ];
}

function liveButtons({ id, url, state, title }: LiveDeploy): AnyBlock {
  const ended = state !== 'running';
  const confirm = {
    title: 'Deploy again?',
    text: `The same bundle of *${inline(title, 100)}* is deployed again, as you.`,
    yes: 'Redeploy',
  };
  return actions(
    ...(url === null ? [] : [button('open', 'Open', '', { url })]),
    button('notice:logs', 'Logs', id),
    ...(ended ? [button('notice:redeploy', 'Redeploy', id, { confirm })] : []),
    ...(ended ? [button('notice:rollback', 'Roll back…', id)] : []),
  );
}

/** The reply in the thread that tells people it is over. */
export function resultMessage(deploy: LiveDeploy): Message {
  const { state, title, url, elapsed, error, lines } = deploy;
  const words = `${SIGNS[state]} *${link(url, title)}* ${VERBS[state]} after ${span(elapsed)}`;
  if (state === 'succeeded') return fit({ text: `${inline(title)} is live`, blocks: [section(words)] });
  const folded = foldTraceback(lines);
  return fit({
    text: `${inline(title)} ${VERBS[state]}`,
    blocks: [
      section(`${words}${error === '' ? '' : `\n${inline(error, 500)}`}`),
      ...failureBlocks(deploy),
      ...(folded.length > 0 ? [section(codeBlock(folded.slice(-LINES_IN_RESULT), 1500))] : []),
    ],
  });
}

/** Without the frames between the first line of a traceback and what was raised. */
export function foldTraceback(lines: readonly string[]): string[] {
  const shown: string[] = [];
  let folded = 0;
  let inside = false;
  for (const line of lines) {
    if (inside && /^\s/.test(line)) {
      folded += 1;
      continue;
    }
    if (folded > 0) shown.push(`  … ${count(folded, 'line')} folded`);
    folded = 0;
    inside = /^\s*(Traceback \(most recent call last\)|Backtrace:|Calls: )/.test(line);
    shown.push(line);
  }
  if (folded > 0) shown.push(`  … ${count(folded, 'line')} folded`);
  return shown;
}

export interface RollbackQuestion {
  /** Stands for this very question, so that it is answered once. */
  readonly key: string;
  readonly title: string;
  readonly from: string | null;
  readonly to: { readonly id: string; readonly created_time: string };
}

/** @param metadata comes back with the answer. */
export function rollbackModal({ title, from, to }: RollbackQuestion, metadata: string): ModalView {
  return fitModal({
    type: 'modal',
    callback_id: 'rollback',
    private_metadata: metadata,
    title: { type: 'plain_text', text: 'Roll back' },
    submit: { type: 'plain_text', text: 'Roll back' },
    close: { type: 'plain_text', text: 'Cancel' },
    blocks: [
      section(rollbackText(title, from, to)),
      context('The deploy runs as you, and the channel can watch it.'),
    ],
  });
}

/** The same question as a message, where there is no window to open: after a typed command. */
export function rollbackMessage({ key, title, from, to }: RollbackQuestion): Message {
  return fit({
    text: `Roll back ${inline(title)}?`,
    blocks: [
      section(rollbackText(title, from, to)),
      actions(button('rollback:confirm', 'Roll back', key, { style: 'danger' })),
    ],
  });
}

function rollbackText(title: string, from: string | null, to: RollbackQuestion['to']): string {
  const before = from === null ? 'nothing' : `bundle ${inline(from)}`;
  const uploaded = inline(to.created_time.slice(0, 16).replace('T', ' '));
  return `*${inline(title)}* goes from ${before} to bundle ${inline(to.id)}, uploaded ${uploaded} UTC.`;
}

export interface Log {
  readonly title: string;
  readonly task: string;
  readonly finished: boolean;
  readonly code: number;
  readonly lines: readonly string[];
  readonly diagnosis: Diagnosis | null;
}

export function logsMessage({ title, task, finished, code, lines, diagnosis }: Log, share: string): Message {
  const state = !finished ? 'is still running' : code === 0 ? 'ended well' : `failed with code ${code}`;
  const cause = code !== 0 ? diagnosis : null;
  return fit({
    text: `Task ${inline(task)} ${state}`,
    blocks: [
      section(`*${inline(title)}*: task ${inline(task)} ${state}, ${count(lines.length, 'line')}`),
      ...(cause ? [section(`*Cause* ${codeBlock([cause.line], 1500)}`)] : []),
      ...(cause?.hint ? [context(`:bulb: ${inline(cause.hint, 400)}`)] : []),
      section(codeBlock(lines.slice(-60), 2900)),
      actions(
        ...(finished
          ? []
          : [button('run:follow', 'Watch it in the channel', `logs ${line(task, 64)} --follow`)]),
        button('logs:file', 'Whole log as a file', line(task, 64)),
        shareButton(share),
      ),
    ],
  });
}
