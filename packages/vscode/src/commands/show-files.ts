// Shows the files of the bundle, and excluded files with the reason.
import { commands } from 'vscode';
import type { Command } from './command.ts';
import { NODE } from './when.ts';

export const showFiles: Command = {
  title: 'Preview Bundle',
  icon: '$(checklist)',
  menus: [
    { in: 'view/item/context', when: `${NODE} /^directory\\.(published|unpublished)/`, group: 'inline@1' },
    { in: 'view/item/context', when: `${NODE} /^directory\\.(published|unpublished)/`, group: '3_history@0' },
  ],
  async run({ directories, files }, argument) {
    const dir = await directories.meantBy(argument);
    if (dir === undefined) return;
    files.show(dir);
    void commands.executeCommand('setContext', 'pressroom.previewed', true);
    await commands.executeCommand('pressroom.files.focus');
  },
};
