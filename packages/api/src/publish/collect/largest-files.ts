import type { BundleFile } from './bundle-file.ts';

const MOST = 10;

/** The ten largest files, largest first. Does not sort all files: there may be hundreds of thousands. */
export function largestOf(files: readonly BundleFile[]): { path: string; size: number }[] {
  const top: { path: string; size: number }[] = [];
  for (const { path, size } of files) {
    const last = top[MOST - 1];
    if (last !== undefined && last.size >= size) continue;
    const at = top.findIndex((entry) => entry.size < size);
    top.splice(at === -1 ? top.length : at, 0, { path, size });
    if (top.length > MOST) top.pop();
  }
  return top;
}
