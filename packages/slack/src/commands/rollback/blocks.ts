// The confirmation of a rollback, as a modal and as a message.
import type { ModalView } from '@slack/types';
import { actions, button, context, section, type AnyBlock, type Message } from '../../blocks/blocks.ts';
import { fit, fitModal } from '../../blocks/fit.ts';
import { inline, line, moment } from '../../blocks/text.ts';
import type { Target } from '../shared/deploys-of.ts';

export interface RollbackQuestion {
  /** From rollbackKey(). */
  readonly key: string;
  readonly title: string;
  readonly from: string | null;
  readonly to: Target;
  /** Other bundles that can be chosen. */
  readonly others: readonly Target[];
}

/** @param metadata is returned with the answer. */
export function rollbackModal({ title, from, to, others }: RollbackQuestion, metadata: string): ModalView {
  const option = (target: Target) => ({
    text: {
      type: 'plain_text' as const,
      text: `Bundle ${line(target.id, 20)}: ${OUTCOMES[target.state ?? 'none']}`,
    },
    value: line(target.id, 20),
  });
  const choice: AnyBlock = {
    type: 'input',
    block_id: 'bundle',
    label: { type: 'plain_text', text: 'Bundle' },
    element: {
      type: 'static_select',
      action_id: 'bundle',
      initial_option: option(to),
      options: [to, ...others].map(option),
    },
  };
  return fitModal({
    type: 'modal',
    callback_id: 'rollback',
    private_metadata: metadata,
    title: { type: 'plain_text', text: 'Roll back' },
    submit: { type: 'plain_text', text: 'Roll back' },
    close: { type: 'plain_text', text: 'Cancel' },
    blocks: [
      section(`${liveText(from)} Roll back *${inline(title)}* to:`),
      choice,
      ...(to.state === 'succeeded'
        ? [context(`Bundle ${inline(to.id)} is the last one that worked, deployed ${moment(to.time)}.`)]
        : []),
      context('The deploy runs with your account, and the channel shows the progress.'),
    ],
  });
}

/** As a message, where no modal can be opened: after a typed command. */
export function rollbackMessage({ key, title, from, to }: RollbackQuestion): Message {
  return fit({
    text: `Roll back ${inline(title)}?`,
    blocks: [
      section(rollbackText(title, from, to)),
      actions(button('rollback:confirm', 'Roll back', key, { style: 'danger' })),
    ],
  });
}

const OUTCOMES = {
  succeeded: 'worked',
  failed: 'failed to deploy',
  running: 'is being deployed',
  none: 'outcome not known',
} as const;

/** What people see now. */
export function liveText(bundle: string | null): string {
  return bundle === null ? 'No bundle is live.' : `Bundle ${inline(bundle)} is live.`;
}

function targetText({ id, state, time }: Target): string {
  const when = state === null ? 'uploaded' : 'last deployed';
  return `bundle ${inline(id)} (${OUTCOMES[state ?? 'none']}, ${when} ${moment(time)})`;
}

function rollbackText(title: string, from: string | null, to: Target): string {
  const before = from === null ? 'no bundle' : `bundle ${inline(from)}`;
  return `Roll back *${inline(title)}* from ${before} to ${targetText(to)}?`;
}
