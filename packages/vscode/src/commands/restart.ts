// Restarts the processes of published content, and reports the outcome.
import { l10n, ProgressLocation } from 'vscode';
import { showErrorMessage, showInformationMessage, withProgress } from '../ui/messages.ts';
import type { Command } from './command.ts';
import { signedIn } from './content-of.ts';
import { APPLICATION_NODE } from './when.ts';

export const restart: Command = {
  title: 'Restart Content',
  icon: '$(debug-restart)',
  menus: [{ in: 'view/item/context', when: APPLICATION_NODE, group: '4_run@4' }],
  async run(parts, argument) {
    const found = await signedIn(parts, argument);
    if (found === undefined) return;
    const { record } = found;
    const title = l10n.t('Restarting {0}', record.name);
    const why = await withProgress({ location: ProgressLocation.Notification, title }, () =>
      parts.history.restart(record, (line) => parts.log.line(`[${record.name}] ${line}`)),
    );
    if (why === null) void showInformationMessage(l10n.t('{0} was restarted.', record.name));
    else void showErrorMessage(l10n.t('Could not restart {0}: {1}', record.name, why));
  },
};
