// Publishes a directory as new content, whatever its existing targets are.
import type { Command } from './command.ts';
import { NODE } from './when.ts';

export const publishAsNew: Command = {
  title: 'Publish as New Content',
  menus: [{ in: 'view/item/context', when: `${NODE} /^directory\\.published/`, group: '2_publish@4' }],
  async run({ directories, publisher }, argument) {
    const dir = await directories.meantBy(argument);
    if (dir !== undefined) await publisher.publish(dir, { asNew: true, elsewhere: true });
  },
};
