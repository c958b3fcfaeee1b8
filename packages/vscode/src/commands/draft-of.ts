// The draft of a command: from the tree, or picked from a list.
import type { Draft } from '@pressroom/api/contract';
import { l10n, window } from 'vscode';
import { showInformationMessage } from '../ui/messages.ts';
import { agoText } from '../ui/texts.ts';
import type { CommandParts } from './command.ts';
import { signedIn, type Published } from './content-of.ts';

/** When menus offer commands for drafts. */
export const DRAFT_NODE = 'view == pressroom.deployments && viewItem == bundle.draft';

export async function draftOf(
  parts: CommandParts,
  argument: unknown,
): Promise<(Published & { readonly draft: Draft }) | undefined> {
  const found = await signedIn(parts, argument);
  if (found === undefined) return undefined;
  const drafts = await parts.history.drafts(found.record);
  const { bundle } = (argument ?? {}) as { readonly bundle?: { readonly id?: unknown } };
  const named = drafts.find(({ bundle_id }) => bundle_id === bundle?.id);
  if (named !== undefined) return { ...found, draft: named };
  if (drafts.length === 0) {
    void showInformationMessage(l10n.t('{0} has no drafts.', found.record.name));
    return undefined;
  }
  const items = drafts.map((draft) => ({
    label: l10n.t('Bundle {0}', draft.bundle_id),
    description: [draft.preview, draft.username, agoText(draft.created_time, Date.now())]
      .filter((text) => text !== null)
      .join(' · '),
    draft,
  }));
  const placeHolder = l10n.t('Select a draft of {0}', found.record.name);
  const picked = items.length === 1 ? items[0] : await window.showQuickPick(items, { placeHolder });
  return picked && { ...found, draft: picked.draft };
}
