// Rolls back to the bundle before the active one.
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
    const bundles = await parts.history.bundles(found.record);
    const active = bundles.findIndex((bundle) => bundle.active);
    const previous = active === -1 ? undefined : bundles[active + 1];
    if (previous === undefined) {
      void showInformationMessage(l10n.t('There is no previous bundle.'));
      return;
    }
    const { server, guid } = found.record;
    await parts.publisher.rollback(found.dir, { server, guid, bundle_id: previous.id });
  },
};
