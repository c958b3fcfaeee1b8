// .pressroomignore: what users exclude from a directory's bundle, by check boxes or before a publish.
import type { FileSystem, Uri } from 'vscode';
import { unlessNotFound } from './copied-records.ts';

export const IGNORE_FILE = '.pressroomignore';

export interface FileChoice {
  /** Relative to the directory of the file; folders end with "/". */
  readonly path: string;
  readonly isIncluded: boolean;
}

/** Writes choices, if they change anything. */
export async function writeChoices(
  fs: Pick<FileSystem, 'readFile' | 'writeFile'>,
  file: Uri,
  choices: readonly FileChoice[],
): Promise<void> {
  const before = new TextDecoder().decode(await fs.readFile(file).then(undefined, unlessNotFound));
  const after = choices.reduce(withChoice, before);
  if (after !== before) await fs.writeFile(file, new TextEncoder().encode(after));
}

/** Removes an earlier line with the opposite; otherwise adds one. */
function withChoice(text: string, { path, isIncluded }: FileChoice): string {
  const pattern = `/${path.replace(/[\\*?[\]!# ]/g, String.raw`\$&`)}`;
  const [wanted, opposite] = isIncluded ? [`!${pattern}`, pattern] : [pattern, `!${pattern}`];
  const lines = text.split('\n').filter((line) => line !== '');
  const rest = lines.filter((line) => line !== opposite && line !== wanted);
  const added = rest.length < lines.length && lines.includes(opposite) ? [] : [wanted];
  return [...rest, ...added].map((line) => `${line}\n`).join('');
}
