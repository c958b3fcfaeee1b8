// Publishes a directory, as it was published before or after three questions.
import type { Command } from './command.ts';
import { CONTENT, FILE, NODE } from './when.ts';

export const publish: Command = {
  title: 'Publish',
  icon: '$(cloud-upload)',
  palette: 'workspaceFolderCount > 0',
  menus: [
    {
      in: 'editor/title',
      when: `${FILE} && ${CONTENT} && !isInDiffEditor`,
      group: 'navigation@90',
    },
    { in: 'explorer/context', when: FILE, group: '7_pressroom@1' },
    { in: 'scm/title', when: 'workspaceFolderCount > 0', group: 'navigation@90' },
    { in: 'view/item/context', when: `${NODE} /^directory\\.(published|unpublished)/`, group: 'inline@2' },
    { in: 'view/title', when: 'view == pressroom.files', group: 'navigation@1' },
  ],
  keys: { key: 'ctrl+alt+u', mac: 'cmd+alt+u', when: 'workspaceFolderCount > 0' },
  async run({ directories, files, publisher }, argument) {
    const dir = await directories.meantBy(argument ?? files.dir);
    if (dir !== undefined) await publisher.publish(dir);
  },
};
