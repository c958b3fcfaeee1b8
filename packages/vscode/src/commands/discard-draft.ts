// Discards a draft, after confirmation; its bundle stays.
import { l10n } from 'vscode';
import type { Command } from './command.ts';
import { DRAFT_NODE, draftOf } from './draft-of.ts';
import { showInformationMessage, showWarningMessage } from '../ui/messages.ts';

export const discardDraft: Command = {
  title: 'Discard Draft',
  palette: 'workspaceFolderCount > 0',
  menus: [{ in: 'view/item/context', when: DRAFT_NODE, group: '9_remove@1' }],
  async run(parts, argument) {
    const found = await draftOf(parts, argument);
    if (found === undefined) return;
    const { dir, record, draft } = found;
    const confirmed = l10n.t('Discard');
    const pressed = await showWarningMessage(
      l10n.t('Discard the draft of {0}?', record.name),
      {
        modal: true,
        detail: l10n.t('Its address stops working. Bundle {0} stays on the server.', draft.bundle_id),
      },
      confirmed,
    );
    if (pressed !== confirmed) return;
    await parts.history.discardDraft(record, draft);
    // The status no longer shows a ready draft.
    parts.runs.forget(dir);
    parts.store.refresh();
    void showInformationMessage(l10n.t('The draft of {0} was discarded.', record.name));
  },
};
