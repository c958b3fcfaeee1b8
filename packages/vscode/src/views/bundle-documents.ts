// Files of a bundle as documents, and the comparison of a directory with a bundle: including changed numbers between it
// and the active bundle, if visible.
import path from 'node:path';
import type { MovedNumbers } from '@pressroom/api/contract';
import { compareWithBundle } from '@pressroom/api/publish';
import { commands, l10n, Uri, type TextDocumentContentProvider } from 'vscode';
import type { Directories } from '../publish/directories/directories.ts';
import { publishedFiles } from '../publish/plan/published-files.ts';
import type { ContentRef } from '../store/content-ref.ts';
import type { History } from '../store/history.ts';
import type { Memory } from '../store/memory.ts';
import { showInformationMessage } from '../ui/messages.ts';

export const SCHEME = 'pressroom-bundle';
/** Numbers as text: the address contains them. */
export const NUMBERS_SCHEME = 'pressroom-numbers';

/** Those that changed most. */
const NUMBERS_SHOWN = 50;

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

export function createNumberDocuments(): TextDocumentContentProvider {
  return { provideTextDocumentContent: (uri) => uri.query };
}

/** Two documents that differ in the numbers; none if none changed. */
function numberDocuments({ before, after, moved, more }: MovedNumbers): [Uri, Uri, Uri] | undefined {
  if (moved.length === 0) return undefined;
  const shown = moved.slice(0, NUMBERS_SHOWN);
  const title = l10n.t('Numbers: bundle {0} → {1}', before.bundle_id, after.bundle_id);
  const left = moved.length - shown.length + more;
  const side = (which: 'before' | 'after') => {
    const lines = shown.map((one) => {
      const { percent } = one;
      const sign = percent !== null && percent > 0 ? '+' : '';
      const share = which === 'before' || percent === null ? '' : ` (${sign}${percent} %)`;
      return `${one.table}, ${one.row}, ${one.column}: ${one[which]}${share}`;
    });
    const text = [...lines, ...(left > 0 ? [l10n.t('{0} more', left)] : [])].join('\n');
    return Uri.from({ scheme: NUMBERS_SCHEME, path: `/${title}`, query: `${text}\n`, fragment: which });
  };
  return [side('after'), side('before'), side('after')];
}

/** Opens all differences in one editor; shows a message if there is none. */
export async function showDifferences(
  history: History,
  directories: Pick<Directories, 'excludeOf' | 'update' | 'uriOf'>,
  memory: Pick<Memory, 'choice' | 'target'>,
  dir: string,
  address: Address,
): Promise<number> {
  const bundle = await history.files(address, address.bundleId);
  const numbers = await history.numbers(address, address.bundleId).catch(() => null);
  const moved = numbers === null ? undefined : numberDocuments(numbers);
  await directories.update(dir);
  const { files } = await publishedFiles(dir, directories, memory);
  const differences = await compareWithBundle(dir, files, bundle);
  const title = l10n.t('{0}: bundle {1} ↔ workspace', path.basename(dir), address.bundleId);
  if (differences.length === 0 && moved === undefined) {
    void showInformationMessage(
      l10n.t('{0} has no differences from bundle {1}.', path.basename(dir), address.bundleId),
    );
    return 0;
  }
  const resources = differences.map(({ path: file, kind }) => {
    const local = directories.uriOf(path.join(dir, file));
    const there = uriOf(address, file);
    return [local, kind === 'added' ? undefined : there, kind === 'removed' ? undefined : local];
  });
  await commands.executeCommand('vscode.changes', title, [...(moved ? [moved] : []), ...resources]);
  void commands.executeCommand('setContext', 'pressroom.compared', true);
  return differences.length;
}
