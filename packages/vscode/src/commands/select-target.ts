// Selects the active target of a directory.
import type { Command } from './command.ts';
import { publishedNode } from './content-of.ts';
import { pickTarget } from './pick-target.ts';
import { NODE } from './when.ts';

export const selectTarget: Command = {
  title: 'Select Target',
  icon: '$(target)',
  menus: [
    { in: 'view/item/context', when: `${NODE} /^directory\\.published/`, group: '2_publish@1' },
    { in: 'view/item/context', when: `${NODE} /^content\\.other/`, group: '2_target@1' },
  ],
  async run(parts, argument) {
    const found = publishedNode(argument) ?? (await pickTarget(parts, argument));
    if (found) parts.store.activate(found.dir, found.record);
  },
};
