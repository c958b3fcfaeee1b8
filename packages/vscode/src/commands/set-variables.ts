// Environment variables from a file such as .env: the person picks them by name, and their values go to the content's
// server and nowhere else. Such files are never part of a bundle.
import path from 'node:path';
import { parseEnv } from 'node:util';
import { l10n, Uri, window, workspace } from 'vscode';
import type { StoredRecord } from '@pressroom/api';
import type { Directories } from '../publish/directories.ts';
import type { History } from '../publish/history.ts';
import { hostOf } from '../ui/texts.ts';

const FILE = /^\.(env|Renviron)(\.[^/]+)?$/;
const TEMPLATE = /\.(example|sample|template|dist)$/;

/** Whether variables can be read from a file of this name. */
export function holdsVariables(name: string): boolean {
  return FILE.test(name) && !TEMPLATE.test(name);
}

/**
 * @param given the file, where the person said which
 * @param publish what is offered afterwards: what runs already keeps the values that it has
 */
export async function setVariables(
  { dir, record }: { readonly dir: string; readonly record: StoredRecord },
  given: Uri | undefined,
  directories: Pick<Directories, 'uriOf'>,
  history: Pick<History, 'variables' | 'setVariables'>,
  publish: () => unknown,
): Promise<void> {
  const file = given ?? (await fileIn(directories.uriOf(dir)));
  if (file === undefined) return;
  const values = parseEnv(new TextDecoder().decode(await workspace.fs.readFile(file)));
  const there = new Set(await history.variables(record));
  // What the server has may be meant to be another value than the one for work at this desk.
  const items = Object.keys(values).map((label) => ({
    label,
    description: there.has(label) ? l10n.t('set on the server already') : '',
    picked: !there.has(label),
  }));
  if (items.length === 0) {
    void window.showInformationMessage(l10n.t('{0} sets no variables.', path.posix.basename(file.path)));
    return;
  }
  const picked = await window.showQuickPick(items, {
    canPickMany: true,
    placeHolder: l10n.t('Which variables are set for {0} on {1}?', record.name, hostOf(record.server)),
  });
  if (picked === undefined || picked.length === 0) return;
  await history.setVariables(
    record,
    picked.map(({ label }) => ({ name: label, value: values[label] ?? '' })),
  );
  const names = picked.map(({ label }) => label).join(', ');
  const again = l10n.t('Publish Again');
  void window
    .showInformationMessage(
      l10n.t('Set for {0}: {1}. They count once it is published again.', record.name, names),
      again,
    )
    .then((pressed) => pressed === again && publish());
}

async function fileIn(dir: Uri): Promise<Uri | undefined> {
  const names = (await workspace.fs.readDirectory(dir)).map(([name]) => name).filter(holdsVariables);
  if (names.length === 0) {
    void window.showInformationMessage(l10n.t('There is no .env or .Renviron in this folder.'));
    return undefined;
  }
  const placeHolder = l10n.t('Variables from which file?');
  const name = names.length === 1 ? names[0] : await window.showQuickPick(names.toSorted(), { placeHolder });
  return name === undefined ? undefined : Uri.joinPath(dir, name);
}
