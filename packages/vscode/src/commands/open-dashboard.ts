// Opens published content in its server's dashboard.
import { l10n } from 'vscode';
import { showInformationMessage } from '../ui/messages.ts';
import { openPage } from '../ui/open-page.ts';
import type { Command } from './command.ts';
import { signedIn } from './content-of.ts';
import { PUBLISHED_NODE } from './when.ts';

export const openDashboard: Command = {
  title: 'Open in Dashboard',
  menus: [{ in: 'view/item/context', when: PUBLISHED_NODE, group: '1_publish@4' }],
  async run(parts, argument) {
    const found = await signedIn(parts, argument);
    if (found === undefined) return;
    const { dashboard_url } = await parts.history.content(found.record);
    if (dashboard_url) openPage(dashboard_url);
    else void showInformationMessage(l10n.t('This server does not say where its dashboard is.'));
  },
};
