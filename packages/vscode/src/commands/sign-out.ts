// Signs out of a server and deletes its key.
import { l10n, window } from 'vscode';
import { showInformationMessage } from '../ui/messages.ts';
import { hostOf } from '../ui/texts.ts';
import type { Command } from './command.ts';

export const signOut: Command = {
  title: 'Sign Out of Server',
  palette: true,
  async run({ keys, refresh }) {
    const items = keys
      .accounts()
      .map(({ server, username }) => ({ label: hostOf(server), description: username, server }));
    if (items.length === 0) {
      void showInformationMessage(l10n.t('You are not signed in to a server.'));
      return;
    }
    const picked = await window.showQuickPick(items, {
      placeHolder: l10n.t('Select the server to sign out of'),
    });
    if (picked) await keys.remove(picked.server);
    refresh();
  },
};
