// The confirmation of a rollback, as a modal and as a message.
import type { ModalView } from '@slack/types';
import { actions, button, context, section, type Message } from '../../blocks/blocks.ts';
import { fit, fitModal } from '../../blocks/fit.ts';
import { inline } from '../../blocks/text.ts';

export interface RollbackQuestion {
  /** From rollbackKey(). */
  readonly key: string;
  readonly title: string;
  readonly from: string | null;
  readonly to: { readonly id: string; readonly created_time: string };
}

/** @param metadata is returned with the answer. */
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

function rollbackText(title: string, from: string | null, to: RollbackQuestion['to']): string {
  const before = from === null ? 'no bundle' : `bundle ${inline(from)}`;
  const uploaded = inline(to.created_time.slice(0, 16).replace('T', ' '));
  return `Roll back *${inline(title)}* from ${before} to bundle ${inline(to.id)}, uploaded ${uploaded} UTC?`;
}
