// Finds the files that differ from a bundle, without reading unmodified ones.
import { resolveRoot, type BundleFile } from '../collect/bundle-file.ts';
import { hashFiles } from '../collect/hash-files.ts';

/** A file of a bundle. */
export interface KnownFile {
  /** Hex MD5. */
  md5: string;
  size: number;
  /** Identity and modification time of the file it was read from, if known. */
  stamp?: string;
}

/** Checksums of files read before, by path; kept by the caller between calls. */
export type SeenFiles = Map<string, { stamp: string; md5: string }>;

/**
 * `new` or `changed` by path; other paths are unchanged. A file is read only if its size is the same, its stamp is not,
 * and it was not read with that stamp before. Throws like hashFiles, and records nothing then.
 */
export async function changesSince(
  dir: string,
  files: readonly BundleFile[],
  known: ReadonlyMap<string, KnownFile>,
  seen: SeenFiles,
  options: { signal?: AbortSignal } = {},
): Promise<Map<string, 'new' | 'changed'>> {
  const changes = new Map<string, 'new' | 'changed'>();
  const touched: BundleFile[] = [];
  for (const file of files) {
    const there = known.get(file.path);
    if (there === undefined) changes.set(file.path, 'new');
    else if (there.size !== file.size) changes.set(file.path, 'changed');
    else if (there.stamp === undefined || there.stamp !== file.stamp) touched.push(file);
  }
  const unread = touched.filter((file) => {
    const before = seen.get(file.path);
    return before === undefined || before.stamp !== file.stamp;
  });
  const sums = await hashFiles(await resolveRoot(dir), unread, options);
  for (const { path, stamp } of unread) {
    const md5 = sums.get(path);
    if (stamp !== undefined && md5 !== undefined) seen.set(path, { stamp, md5 });
  }
  for (const { path } of touched) {
    const md5 = sums.get(path) ?? seen.get(path)?.md5;
    if (md5 !== known.get(path)?.md5) changes.set(path, 'changed');
  }
  return changes;
}
