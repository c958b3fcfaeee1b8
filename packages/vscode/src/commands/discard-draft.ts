// Discards a draft, after confirmation; its bundle stays.
import { l10n } from 'vscode';
import { confirm, showInformationMessage } from '../ui/messages.ts';
import type { Command } from './command.ts';
import { DRAFT_NODE, draftOf } from './draft-of.ts';

export const discardDraft: Command = {
  title: 'Discard Draft',
  menus: [{ in: 'view/item/context', when: DRAFT_NODE, group: '9_remove@1' }],
  async run(parts, argument) {
    const found = await draftOf(parts, argument);
    if (found === undefined) return;
    const { dir, record, draft } = found;
    const question = l10n.t('Discard the draft of {0}?', record.name);
    const detail = l10n.t('Its address stops working. Bundle {0} stays on the server.', draft.bundle_id);
    if (!(await confirm(question, l10n.t('Discard'), detail))) return;
    await parts.history.discardDraft(record, draft);
    // The status no longer shows a ready draft.
    parts.runs.forget(dir);
    parts.store.refresh();
    void showInformationMessage(l10n.t('The draft of {0} was discarded.', record.name));
  },
};
