// Files of a bundle as documents, and the comparison of a directory with a bundle.
import path from 'node:path';
import { compareWithBundle } from '@pressroom/api/publish';
import { commands, l10n, Uri, window, type TextDocumentContentProvider } from 'vscode';
import type { ContentRef, History } from '../store/history.ts';
import type { Directories } from '../publish/directories.ts';

export const SCHEME = 'pressroom-bundle';

interface Address extends ContentRef {
  readonly bundleId: string;
}

function uriOf({ server, guid, bundleId }: Address, file: string): Uri {
  return Uri.from({ scheme: SCHEME, path: `/${file}`, query: JSON.stringify([server, guid, bundleId]) });
}

export function createBundleDocuments(history: History): TextDocumentContentProvider {
  return {
    async provideTextDocumentContent(uri) {
      const [server, guid, bundleId] = JSON.parse(uri.query) as [string, string, string];
      const file = (await history.files({ server, guid }, bundleId)).get(uri.path.slice(1));
      if (file === undefined) return '';
      if (file.bytes === null) return l10n.t('(too large to show: {0} bytes)', file.size);
      return file.bytes.includes(0)
        ? l10n.t('(binary file: {0} bytes)', file.size)
        : file.bytes.toString('utf8');
    },
  };
}

/** Opens all differences in one editor; a message where there is none. */
export async function showDifferences(
  history: History,
  directories: Pick<Directories, 'excludeOf' | 'update' | 'uriOf'>,
  dir: string,
  address: Address,
): Promise<number> {
  const bundle = await history.files(address, address.bundleId);
  await directories.update(dir);
  const differences = await compareWithBundle(dir, bundle, { exclude: directories.excludeOf(dir) });
  const title = l10n.t('{0}: bundle {1} ↔ workspace', path.basename(dir), address.bundleId);
  if (differences.length === 0) {
    void window.showInformationMessage(
      l10n.t('{0} has no differences from bundle {1}.', path.basename(dir), address.bundleId),
    );
    return 0;
  }
  const resources = differences.map(({ path: file, kind }) => {
    const local = directories.uriOf(path.join(dir, file));
    const there = uriOf(address, file);
    return [local, kind === 'added' ? undefined : there, kind === 'removed' ? undefined : local];
  });
  await commands.executeCommand('vscode.changes', title, resources);
  void commands.executeCommand('setContext', 'pressroom.compared', true);
  return differences.length;
}
