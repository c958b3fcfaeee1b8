// Chooses a directory's content type if several are possible.
import type { Command } from './command.ts';
import { NODE } from './when.ts';

export const chooseType: Command = {
  title: 'Choose Content Type',
  menus: [
    {
      in: 'view/item/context',
      when: `${NODE} /^directory\\.(published|unpublished)/`,
      group: '2_publish@2',
    },
  ],
  async run({ directories, planner, refresh }, argument) {
    const dir = await directories.meantBy(argument);
    if (dir !== undefined && (await planner.chooseType(dir))) refresh();
  },
};
