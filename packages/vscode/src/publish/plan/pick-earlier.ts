// A first publish of a folder that was published to the server, by another client or before its record was removed: to
// the same content, or as new content.
import { findOtherRecord } from '@pressroom/api/publish';
import { l10n, type QuickPickItem } from 'vscode';
import type { ContentRef } from '../../store/content-ref.ts';
import { askPick, BACK } from '../../ui/steps.ts';
import { hostOf } from '../../ui/texts.ts';

interface Item extends QuickPickItem {
  readonly guid: string | null;
}

/** The GUID of the content; null for new content; undefined if cancelled. */
export async function pickEarlier(
  dir: string,
  server: string,
  before: ContentRef | undefined,
  step: { readonly title: string; readonly total: number },
): Promise<string | null | typeof BACK | undefined> {
  const own = before?.server === server ? { client: 'Pressroom', guid: before.guid } : undefined;
  const other = own ?? (await findOtherRecord(dir, server));
  if (other === undefined) return null;
  const { client, guid } = other;
  const picked = await askPick<Item>({
    ...step,
    step: step.total,
    back: true,
    placeholder: l10n.t('{0} published this folder to {1} before.', client, hostOf(server)),
    items: [
      {
        label: l10n.t('$(repo-push) Publish to the same content'),
        detail: `${server}/content/${guid}/`,
        guid,
      },
      { label: l10n.t('$(add) Publish as new content…'), guid: null },
    ],
  });
  return picked === undefined || picked === BACK ? picked : picked.guid;
}
