// Asks the server how a deployment ended whose end is not known.
import type { Command } from './command.ts';
import { NODE } from './when.ts';

export const lookAgain: Command = {
  title: 'Check Deployment Status',
  icon: '$(sync)',
  palette: false,
  menus: [{ in: 'view/item/context', when: `${NODE} /\\.unknown$/`, group: 'inline@1' }],
  async run({ memory, publisher }, argument) {
    const dir = (argument as { dir?: string } | undefined)?.dir;
    const found = memory.unfinished().find((item) => item.dir === dir);
    if (found) await publisher.resume(found);
  },
};
