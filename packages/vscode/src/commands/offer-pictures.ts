// Offers pictures of the pages of a bundle and of the active one.
import { RefusedError } from '@pressroom/api/client';
import type { PageComparison } from '@pressroom/api/contract';
import { commands, l10n, ProgressLocation } from 'vscode';
import type { ContentRef } from '../store/content-ref.ts';
import type { History } from '../store/history.ts';
import { oneLine, sentence } from '../ui/explain.ts';
import { showInformationMessage, withProgress } from '../ui/messages.ts';
import type { BundlePictures } from '../views/bundle-pictures.ts';

/** Asks whether to show the pictures, since a browser must take them; opens them, or says why there are none. */
export async function offerPictures(
  history: Pick<History, 'comparesPages' | 'pages'>,
  pictures: Pick<BundlePictures, 'keep'>,
  content: ContentRef,
  bundleId: string,
): Promise<void> {
  if (!history.comparesPages(content.server)) return;
  const show = l10n.t('Show Pictures');
  const question = l10n.t('See what readers see of bundle {0} and of the active bundle?', bundleId);
  if ((await showInformationMessage(question, show)) !== show) return;
  const pages = await takePictures(history, content, bundleId);
  if (pages === undefined) return;
  // Stacked, with the differences in front: changes are visible in place when switching tabs.
  for (const uri of pictures.keep(pages))
    await commands.executeCommand('vscode.open', uri, { preview: false });
}

/** Undefined if the server has none, which is reported, or if cancelled. */
function takePictures(
  history: Pick<History, 'pages'>,
  content: ContentRef,
  bundleId: string,
): Thenable<PageComparison | undefined> {
  const title = l10n.t('Taking pictures of bundle {0}', bundleId);
  const location = ProgressLocation.Notification;
  return withProgress({ location, title, cancellable: true }, async (_, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    try {
      return await history.pages(content, bundleId, abort.signal);
    } catch (error) {
      if (abort.signal.aborted) return undefined;
      if (!(error instanceof RefusedError)) throw error;
      void showInformationMessage(sentence(oneLine(error.message)));
      return undefined;
    }
  });
}
