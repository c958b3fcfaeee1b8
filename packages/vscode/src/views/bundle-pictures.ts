// Pages of two bundles as images that the editor opens: taken by the server, kept in memory.
import type { PageComparison } from '@pressroom/api/contract';
import {
  EventEmitter,
  FileSystemError,
  FileType,
  l10n,
  Uri,
  type FileChangeEvent,
  type FileSystemProvider,
} from 'vscode';

export const PICTURES_SCHEME = 'pressroom-pictures';

/** Comparisons kept: tabs of earlier ones cannot be reloaded. */
const COMPARISONS_KEPT = 5;

export interface BundlePictures extends FileSystemProvider {
  /** Addresses of the pictures: before, after, and the differences. */
  keep(pages: PageComparison): Uri[];
}

export function createBundlePictures(): BundlePictures {
  const kept = new Map<string, ReadonlyMap<string, Uint8Array>>();
  let comparisons = 0;
  const imageAt = (uri: Uri) => {
    const [, comparison = '', name = ''] = uri.path.split('/');
    const image = kept.get(comparison)?.get(name);
    if (image === undefined) throw FileSystemError.FileNotFound(uri);
    return image;
  };
  const readOnly = (uri: Uri) => {
    throw FileSystemError.NoPermissions(uri);
  };
  return {
    keep({ before, after, difference }) {
      comparisons += 1;
      const comparison = String(comparisons);
      const images = new Map([
        [nameOf(l10n.t('before (bundle {0})', before.bundle_id)), Buffer.from(before.image, 'base64')],
        [nameOf(l10n.t('after (bundle {0})', after.bundle_id)), Buffer.from(after.image, 'base64')],
        [nameOf(l10n.t('what differs')), Buffer.from(difference, 'base64')],
      ]);
      kept.set(comparison, images);
      for (const old of [...kept.keys()].slice(0, -COMPARISONS_KEPT)) kept.delete(old);
      return [...images.keys()].map((name) =>
        Uri.from({ scheme: PICTURES_SCHEME, path: `/${comparison}/${name}` }),
      );
    },
    readFile: (uri) => imageAt(uri),
    stat: (uri) => ({ type: FileType.File, ctime: 0, mtime: 0, size: imageAt(uri).length }),
    // They never change.
    onDidChangeFile: new EventEmitter<FileChangeEvent[]>().event,
    watch: () => ({ dispose: () => undefined }),
    readDirectory: () => [],
    createDirectory: readOnly,
    writeFile: readOnly,
    delete: readOnly,
    rename: readOnly,
  };
}

/** The id comes from the server. */
const nameOf = (name: string) => `${name.replaceAll('/', '_')}.png`;
