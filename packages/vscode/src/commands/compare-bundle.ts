// Compares the files of a directory with a bundle, from the tree or picked from a list. Then offers pictures of its
// pages and the active bundle's.
import { showDifferences } from '../views/bundle-documents.ts';
import { bundleOf } from './bundle-of.ts';
import type { Command } from './command.ts';
import { offerPictures } from './offer-pictures.ts';
import { NODE } from './when.ts';

export const compareBundle: Command = {
  title: 'Compare with Bundle',
  icon: '$(diff-multiple)',
  menus: [
    { in: 'view/item/context', when: `${NODE} /^bundle/`, group: 'inline@1' },
    { in: 'view/item/context', when: `${NODE} /^bundle/`, group: '1_bundle@1' },
  ],
  async run(parts, argument) {
    const found = await bundleOf(parts, argument);
    if (found === undefined) return;
    const { dir, record, bundleId, active } = found;
    await showDifferences(parts.history, parts.directories, parts.memory, dir, { ...record, bundleId });
    if (!active) await offerPictures(parts.history, parts.pictures, record, bundleId);
  },
};
