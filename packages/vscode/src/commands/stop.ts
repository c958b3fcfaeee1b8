// Stops the processes of published content until the next visit.
import { l10n, ProgressLocation } from 'vscode';
import { confirm, showErrorMessage, showInformationMessage, withProgress } from '../ui/messages.ts';
import type { Command } from './command.ts';
import { signedIn } from './content-of.ts';
import { APPLICATION_NODE } from './when.ts';

export const stop: Command = {
  title: 'Stop Content',
  icon: '$(debug-stop)',
  menus: [{ in: 'view/item/context', when: APPLICATION_NODE, group: '4_run@5' }],
  async run(parts, argument) {
    const found = await signedIn(parts, argument);
    if (found === undefined) return;
    const { record } = found;
    const question = l10n.t('Stop the processes of {0}?', record.name);
    const detail = l10n.t('Visitors lose their sessions. The next visit starts it again.');
    if (!(await confirm(question, l10n.t('Stop'), detail))) return;
    const title = l10n.t('Stopping {0}', record.name);
    const why = await withProgress({ location: ProgressLocation.Notification, title }, () =>
      parts.history.stop(record, (line) => parts.log.line(`[${record.name}] ${line}`)),
    );
    if (why === null) void showInformationMessage(l10n.t('{0} was stopped.', record.name));
    else void showErrorMessage(l10n.t('Could not stop {0}: {1}', record.name, why));
  },
};
