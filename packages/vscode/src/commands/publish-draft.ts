// Publishes a directory as a draft: the live content stays until the draft is made live.
import type { Command } from './command.ts';
import { publishedNode } from './content-of.ts';
import { fileOf } from './publish.ts';
import { NODE } from './when.ts';

export const publishDraft: Command = {
  title: 'Publish as Draft',
  menus: [
    {
      in: 'view/item/context',
      when: `${NODE} /^(directory\\.(published|unpublished)|content)/`,
      group: '1_publish@2',
    },
  ],
  async run({ directories, publisher }, argument) {
    const node = publishedNode(argument);
    const dir = node?.dir ?? (await directories.meantBy(argument));
    if (dir !== undefined)
      await publisher.publish(dir, { to: node?.record, file: fileOf(directories, argument), draft: true });
  },
};
