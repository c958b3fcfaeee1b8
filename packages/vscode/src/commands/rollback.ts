// Rolls back to a bundle, from the tree or picked from a list.
import { bundleOf } from './bundle-of.ts';
import type { Command } from './command.ts';
import { NODE } from './when.ts';

export const rollback: Command = {
  title: 'Roll Back to Bundle',
  icon: '$(history)',
  menus: [
    { in: 'view/item/context', when: `${NODE} /^bundle\\.earlier/`, group: 'inline@2' },
    { in: 'view/item/context', when: `${NODE} /^bundle\\.earlier/`, group: '1_bundle@2' },
  ],
  async run(parts, argument) {
    const found = await bundleOf(parts, argument, ({ active }) => !active);
    if (found === undefined) return;
    const { dir, record, bundleId } = found;
    await parts.publisher.rollback(dir, { server: record.server, guid: record.guid, bundle_id: bundleId });
  },
};
