// Asks the server for the outcome of a deploy whose end is unknown.
import { l10n } from 'vscode';
import { showInformationMessage } from '../ui/messages.ts';
import type { Command } from './command.ts';
import { pickDirectory } from './pick-directory.ts';
import { NODE } from './when.ts';

export const checkStatus: Command = {
  title: 'Check Deployment Status',
  icon: '$(sync)',
  menus: [
    { in: 'view/item/context', when: `${NODE} /\\.unknown$/`, group: 'inline@1' },
    { in: 'view/item/context', when: `${NODE} /\\.unknown$/`, group: '1_run@1' },
  ],
  async run({ memory, publisher }, argument) {
    const all = memory.unfinished();
    const dir = await pickDirectory(
      argument,
      all.map((item) => item.dir),
    );
    const found = all.find((item) => item.dir === dir);
    if (found) await publisher.resume(found);
    else if (all.length === 0) void showInformationMessage(l10n.t('The end of every deployment is known.'));
  },
};
