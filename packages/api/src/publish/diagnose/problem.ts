// Where in the publisher's own files a failed deploy went wrong.

export interface Problem {
  /** Path within the published directory. */
  file: string;
  /** From 1. */
  line: number;
  /** From 1, where it is known. */
  column: number | null;
  message: string;
  /** For a notebook: which cell (from 0 among all cells) and which line of it (from 1). */
  cell: { index: number; line: number } | null;
}

/** The file of the directory that a path on the server means: the one whose path is its longest ending. */
export function localPath(remote: string, files: readonly string[]): string | undefined {
  const path = remote.replaceAll('\\', '/').replace(/^\.\//, '');
  return files
    .filter((file) => path === file || path.endsWith(`/${file}`))
    .toSorted((a, b) => b.length - a.length)[0];
}
