// Publishes to a target picked from a list, which becomes the active one.
import type { Command } from './command.ts';
import { pickTarget } from './pick-target.ts';
import { NODE } from './when.ts';

export const publishTo: Command = {
  title: 'Publish to Target',
  menus: [{ in: 'view/item/context', when: `${NODE} /^directory\\.published/`, group: '1_publish@2' }],
  async run(parts, argument) {
    const found = await pickTarget(parts, argument);
    if (found === undefined) return;
    parts.store.activate(found.dir, found.record);
    await parts.publisher.publish(found.dir, { to: found.record });
  },
};
