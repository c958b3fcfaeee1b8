// Publishes the directory shown in the Files view, whichever of its rows has the focus.
import type { Command } from './command.ts';

export const publishShown: Command = {
  title: 'Publish Content',
  icon: '$(rocket)',
  palette: false,
  menus: [{ in: 'view/title', when: 'view == pressroom.files', group: 'navigation@1' }],
  async run({ directories, files, publisher }) {
    const dir = files.dir ?? (await directories.meantBy(undefined));
    if (dir !== undefined) await publisher.publish(dir);
  },
};
