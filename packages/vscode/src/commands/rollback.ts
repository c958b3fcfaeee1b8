// Rolls back to the bundle that was clicked.
import type { BundleNode } from '../views/deployments.ts';
import type { Command } from './command.ts';
import { NODE } from './when.ts';

export const rollback: Command = {
  title: 'Roll Back to This Bundle',
  icon: '$(history)',
  palette: false,
  menus: [{ in: 'view/item/context', when: `${NODE} /^bundle\\.earlier/`, group: 'inline@2' }],
  async run({ publisher }, argument) {
    const { dir, record, bundle } = argument as BundleNode;
    await publisher.rollback(dir, { server: record.server, guid: record.guid, bundle_id: bundle.id });
  },
};
