// Restricted Mode: keys are used in trusted workspaces only.
import { commands, l10n, workspace } from 'vscode';
import { showWarningMessage } from '../ui/messages.ts';

/** Whether keys may be used here; otherwise tells the user what to do. */
export function mayUseKeys(): boolean {
  if (workspace.isTrusted) return true;
  const manage = l10n.t('Manage Trust');
  void showWarningMessage(
    l10n.t('This workspace is in Restricted Mode, so your API keys are not used.'),
    manage,
  ).then((pressed) => pressed === manage && commands.executeCommand('workbench.trust.manage'));
  return false;
}
