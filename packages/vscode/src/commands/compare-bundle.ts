// Compares the files of a directory with the bundle that was clicked.
import { showDifferences } from '../views/bundle-documents.ts';
import type { BundleNode } from '../views/deployments.ts';
import type { Command } from './command.ts';
import { signedIn } from './content-of.ts';
import { NODE } from './when.ts';

export const compareBundle: Command = {
  title: 'Compare with This Bundle',
  icon: '$(diff-multiple)',
  palette: false,
  menus: [{ in: 'view/item/context', when: `${NODE} /^bundle/`, group: 'inline@1' }],
  async run(parts, argument) {
    const { dir, record, bundle } = argument as BundleNode;
    if (await signedIn(parts, argument))
      await showDifferences(parts.history, parts.directories, dir, { ...record, bundleId: bundle.id });
  },
};
