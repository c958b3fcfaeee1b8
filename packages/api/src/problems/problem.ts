// Where in the publisher's own files a failed deploy went wrong.

export interface Problem {
  /** Path within the published directory. */
  file: string;
  /** From 1. */
  line: number;
  /** From 1, where it is known. */
  column: number | null;
  message: string;
  /** For a notebook: which code cell (from 0 among all cells) and which line of it (from 1). */
  cell: { index: number; line: number } | null;
}

/** What a log says before the files are looked at. Paths are the server's. */
export interface Place {
  path: string;
  line: number;
  lastLine?: number;
  column?: number;
  message: string;
  /** A name that the message is about: the line that holds it, within the range, is the better place. */
  about?: string;
}

/** Files of the interpreters and of packages: a name in there may equal one of the publisher's, and is not. */
const FOREIGN = /(^|\/)(site-packages|dist-packages|lib\/python[\d.]*|lib\/R)\//;

/** The file of the directory that a path on the server means: the one whose path is its longest ending. */
export function localPath(remote: string, files: readonly string[]): string | undefined {
  const path = remote.replaceAll('\\', '/').replace(/^\.\//, '');
  if (path.startsWith('<') || FOREIGN.test(path)) return undefined;
  return files
    .filter((file) => path === file || path.endsWith(`/${file}`))
    .toSorted((a, b) => b.length - a.length)[0];
}

/** The name in quotes that a message is about, such as the object that was not found. */
export function nameIn(message: string): string | undefined {
  return /['"‘“`]([A-Za-z_.][\w.-]*)['"’”`]/.exec(message)?.[1];
}
