// The place in the publisher's files where a failed deploy went wrong.

export interface Problem {
  /** Path within the published directory. */
  file: string;
  /** From 1. */
  line: number;
  /** From 1, if known. */
  column: number | null;
  message: string;
  /** For a notebook: the cell (from 0 among all cells) and its line (from 1). */
  cell: { index: number; line: number } | null;
}

/** The local file of a server path: the one with the longest matching end. */
export function localPath(remote: string, files: readonly string[]): string | undefined {
  const path = remote.replaceAll('\\', '/').replace(/^\.\//, '');
  return files
    .filter((file) => path === file || path.endsWith(`/${file}`))
    .toSorted((a, b) => b.length - a.length)[0];
}
