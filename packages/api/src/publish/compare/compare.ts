// Compares a directory, as it would be published now, with a bundle.
import type { ArchivedFile } from '../archive/read-archive.ts';
import { resolveRoot, type BundleFile } from '../collect/bundle-file.ts';
import { hashFiles } from '../collect/hash-files.ts';

export interface Difference {
  path: string;
  /** `added`: only in the directory. `removed`: only in the bundle. */
  kind: 'added' | 'removed' | 'changed';
}

/**
 * Sorted by path. Throws like hashFiles.
 * @param files of the directory; see publishedOf
 */
export async function compareWithBundle(
  dir: string,
  files: readonly BundleFile[],
  bundle: ReadonlyMap<string, Pick<ArchivedFile, 'md5' | 'size'>>,
  options: { signal?: AbortSignal } = {},
): Promise<Difference[]> {
  const local = new Map(files.map((file) => [file.path, file]));
  const differences: Difference[] = [];
  const unsure = files.filter((file) => bundle.get(file.path)?.size === file.size);
  const sums = await hashFiles(await resolveRoot(dir), unsure, options);
  for (const path of local.keys()) {
    const there = bundle.get(path);
    if (path === 'manifest.json') continue;
    if (there === undefined) differences.push({ path, kind: 'added' });
    else if (sums.get(path) !== there.md5) differences.push({ path, kind: 'changed' });
  }
  for (const path of bundle.keys()) if (!local.has(path)) differences.push({ path, kind: 'removed' });
  return differences.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
