// Compares the files of a directory with the active bundle.
import { l10n } from 'vscode';
import { showInformationMessage } from '../ui/messages.ts';
import { showDifferences } from '../views/bundle-documents.ts';
import type { Command } from './command.ts';
import { signedIn } from './content-of.ts';
import { PUBLISHED_NODE } from './when.ts';

export const compare: Command = {
  title: 'Compare with Active Bundle',
  icon: '$(diff-multiple)',
  menus: [{ in: 'view/item/context', when: PUBLISHED_NODE, group: '3_history@1' }],
  async run(parts, argument) {
    const { directories, history, memory } = parts;
    const found = await signedIn(parts, argument);
    if (!found) return;
    const { dir, record } = found;
    const active = (await history.bundles(record)).find((bundle) => bundle.active);
    if (active) await showDifferences(history, directories, memory, dir, { ...record, bundleId: active.id });
    else void showInformationMessage(l10n.t('There is no active bundle.'));
  },
};
