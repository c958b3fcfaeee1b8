// The bundle of a command: from the tree, or picked from a list.
import type { Bundle } from '@pressroom/api/contract';
import { l10n, window } from 'vscode';
import { bundleText } from '../ui/bundle-text.ts';
import { showInformationMessage } from '../ui/messages.ts';
import type { CommandParts } from './command.ts';
import { signedIn, type Published } from './content-of.ts';

export interface PublishedBundle extends Published {
  readonly bundleId: string;
  readonly active: boolean;
}

/** @param wanted selects the bundles to pick from */
export async function bundleOf(
  parts: CommandParts,
  argument: unknown,
  wanted: (bundle: Bundle) => boolean = () => true,
): Promise<PublishedBundle | undefined> {
  const found = await signedIn(parts, argument);
  if (found === undefined) return undefined;
  const { bundle } = (argument ?? {}) as { readonly bundle?: Partial<Bundle> };
  if (typeof bundle?.id === 'string')
    return { ...found, bundleId: bundle.id, active: bundle.active === true };
  const items = (await parts.history.bundles(found.record)).filter(wanted).map((one) => ({
    label: l10n.t('Bundle {0}', one.id),
    description: bundleText(one, one.active ? l10n.t('active') : undefined, Date.now()),
    id: one.id,
    active: one.active,
  }));
  if (items.length === 0) {
    void showInformationMessage(l10n.t('There is no previous bundle.'));
    return undefined;
  }
  const placeHolder = l10n.t('Select a bundle of {0}', found.record.name);
  const picked = await window.showQuickPick(items, { placeHolder });
  return picked && { ...found, bundleId: picked.id, active: picked.active };
}
