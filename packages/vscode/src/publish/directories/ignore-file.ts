// .pressroomignore: what users exclude from a directory's bundle, by check boxes or before a publish.
import { textOfBytes } from '@pressroom/api/contract';
import { FileType, l10n, type FileSystem, type Uri } from 'vscode';
import { unlessNotFound } from './copied-records.ts';

export const IGNORE_FILE = '.pressroomignore';

export interface FileChoice {
  /** Relative to the directory of the file; folders end with "/". */
  readonly path: string;
  readonly isIncluded: boolean;
}

/** Writes choices, if they change anything. @throws if the file is a link, which may also lead to an endless device */
export async function writeChoices(
  fs: Pick<FileSystem, 'readFile' | 'writeFile' | 'stat'>,
  file: Uri,
  choices: readonly FileChoice[],
): Promise<void> {
  await refuseLink(fs, file);
  const bytes = await fs.readFile(file).then(undefined, unlessNotFound);
  const before = bytes === undefined ? '' : textOfBytes(bytes);
  const after = choices.reduce(withChoice, before);
  if (after !== before) await fs.writeFile(file, new TextEncoder().encode(after));
}

/** A link of the repository may lead to any file, such as one that a shell runs, and file names are lines of it then. */
export async function refuseLink(fs: Pick<FileSystem, 'stat'>, file: Uri): Promise<void> {
  const { type = 0 } = (await fs.stat(file).then(undefined, unlessNotFound)) ?? {};
  if (type & FileType.SymbolicLink)
    throw new Error(l10n.t('{0} is a symbolic link, and was not changed.', file.path));
}

/** Removes an earlier line with the opposite; otherwise adds one. */
function withChoice(text: string, { path, isIncluded }: FileChoice): string {
  const pattern = `/${path.replace(/[\\*?[\]!# ]/g, String.raw`\$&`)}`;
  const [wanted, opposite] = isIncluded ? [`!${pattern}`, pattern] : [pattern, `!${pattern}`];
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const rest = lines.filter((line) => line !== opposite && line !== wanted);
  const added = rest.length < lines.length && lines.includes(opposite) ? [] : [wanted];
  return [...rest, ...added].map((line) => line + end).join('');
}
