// The confirmation of a rollback, as modal and as message.
import type { ModalView } from '@slack/types';
import { actions, button, context, section, type AnyBlock, type Message } from '../../blocks/blocks.ts';
import { fit, fitModal } from '../../blocks/fit.ts';
import { inline, line, moment } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';
import type { Target } from '../shared/rollback-targets.ts';
import { rollbackTexts } from './texts.ts';

export interface RollbackQuestion {
  /** Created by rollbackKey(). */
  readonly key: string;
  readonly title: string;
  readonly from: string | null;
  readonly to: Target;
  /** Other bundles to choose from. */
  readonly others: readonly Target[];
}

/** @param metadata returned with the response. */
export function rollbackModal(
  { title, from, to, others }: RollbackQuestion,
  metadata: string,
  texts: Texts,
): ModalView {
  const { buttons } = texts;
  const rollback = rollbackTexts(texts);
  const option = (target: Target) => ({
    text: {
      type: 'plain_text' as const,
      text: rollback.option(line(target.id, 20), rollback.outcomes[target.state ?? 'none']),
    },
    value: line(target.id, 20),
  });
  const choice: AnyBlock = {
    type: 'input',
    block_id: 'bundle',
    label: { type: 'plain_text', text: texts.words.bundle },
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
    title: { type: 'plain_text', text: buttons.rollBack },
    submit: { type: 'plain_text', text: buttons.rollBack },
    close: { type: 'plain_text', text: buttons.cancel },
    blocks: [
      section(rollback.to(liveText(from, texts), inline(title))),
      choice,
      ...(to.state === 'succeeded' ? [context(rollback.lastGood(inline(to.id), moment(to.time)))] : []),
      context(rollback.remark),
    ],
  });
}

/** As a message, if no modal can be opened: after a typed command. */
export function rollbackMessage({ key, title, from, to }: RollbackQuestion, texts: Texts): Message {
  const { buttons } = texts;
  const rollback = rollbackTexts(texts);
  return fit({
    text: rollback.question(inline(title)),
    blocks: [
      section(rollbackText(title, from, to, texts)),
      actions(button('rollback:confirm', buttons.rollBack, key, { style: 'danger' })),
    ],
  });
}

export function liveText(bundle: string | null, texts: Texts): string {
  const rollback = rollbackTexts(texts);
  return bundle === null ? rollback.noneLive : rollback.live(inline(bundle));
}

function rollbackText(title: string, from: string | null, to: Target, texts: Texts): string {
  const rollback = rollbackTexts(texts);
  const before = from === null ? rollback.noBundle : rollback.bundle(inline(from));
  const outcome = rollback.outcomes[to.state ?? 'none'];
  const target = rollback.target(inline(to.id), outcome, to.state !== null, moment(to.time));
  return rollback.ask(inline(title), before, target);
}
