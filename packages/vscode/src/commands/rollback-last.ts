// Rolls back to the bundle that was live before.
import { l10n } from 'vscode';
import { showInformationMessage } from '../ui/messages.ts';
import type { Command } from './command.ts';
import { signedIn } from './content-of.ts';
import { PUBLISHED_NODE } from './when.ts';

export const rollbackLast: Command = {
  title: 'Roll Back to Previous Bundle',
  menus: [{ in: 'view/item/context', when: PUBLISHED_NODE, group: '3_history@2' }],
  async run(parts, argument) {
    const found = await signedIn(parts, argument);
    if (!found) return;
    const previous = await parts.history.previous(found.record);
    if (previous === undefined) {
      void showInformationMessage(
        l10n.t('No other bundle was live before. To choose one: Roll Back to Bundle.'),
      );
      return;
    }
    const { server, guid } = found.record;
    await parts.publisher.rollback(found.dir, { server, guid, bundle_id: previous.id });
  },
};
