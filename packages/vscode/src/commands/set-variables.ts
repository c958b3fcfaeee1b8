// Sets environment variables from a file such as .env: they are picked by name, and their values are sent only to the
// content's server. Such files are never part of a bundle.
import path from 'node:path';
import { CLIENT_VARIABLES, readVariables, type StoredRecord } from '@pressroom/api/publish';
import { FileType, l10n, Uri, window, workspace } from 'vscode';
import type { Directories } from '../publish/directories/directories.ts';
import type { History } from '../store/history.ts';
import { attempt } from '../ui/attempt.ts';
import { showInformationMessage } from '../ui/messages.ts';
import { hostOf } from '../ui/texts.ts';
import type { Command } from './command.ts';
import { signedIn } from './content-of.ts';
import { FILE, PUBLISHED_NODE } from './when.ts';

/** Files with variables, except templates, which have no values. */
export const VARIABLES_FILE = /^\.(env|Renviron)(?!.*\.(example|sample|template|dist)$)(\..+)?$/;

export const setVariables: Command = {
  title: 'Set Variables from .env File',
  menus: [
    { in: 'view/item/context', when: PUBLISHED_NODE, group: '4_run@1' },
    {
      in: 'explorer/context',
      when: `${FILE} && !explorerResourceIsFolder && resourceFilename =~ ${VARIABLES_FILE}`,
      group: '7_pressroom@2',
    },
  ],
  async run(parts, argument) {
    const { directories, history, publisher } = parts;
    const found = await signedIn(parts, argument);
    if (!found) return;
    const { dir, record } = found;
    const given = argument instanceof Uri ? argument : undefined;
    // To this content item: the folder may have been published to another one since.
    await pickAndSet(found, given, directories, history, () => publisher.publish(dir, { to: record }));
  },
};

/**
 * @param given the file, or a folder that contains one, if given
 * @param publish offered afterwards: running processes keep their values
 */
async function pickAndSet(
  { dir, record }: { readonly dir: string; readonly record: StoredRecord },
  given: Uri | undefined,
  directories: Pick<Directories, 'uriOf'>,
  history: Pick<History, 'variables' | 'setVariables'>,
  publish: () => unknown,
): Promise<void> {
  // Includes unsaved changes of editors.
  await workspace.saveAll(false);
  const file = given && !(await isFolder(given)) ? given : await fileIn(directories.uriOf(dir));
  if (file === undefined) return;
  const name = path.posix.basename(file.path);
  const values = readVariables(new TextDecoder().decode(await workspace.fs.readFile(file)), name);
  const there = new Set(await history.variables(record));
  const items = [...values.keys()].map((label) => {
    const description = whyNot(label, there);
    return { label, description, picked: description === '' };
  });
  if (items.length === 0) {
    void showInformationMessage(l10n.t('{0} does not contain any variables.', name));
    return;
  }
  const picked = await window.showQuickPick(items, {
    canPickMany: true,
    placeHolder: l10n.t('Select the variables to set for {0} on {1}', record.name, hostOf(record.server)),
  });
  if (picked === undefined || picked.length === 0) return;
  await history.setVariables(
    record,
    picked.map(({ label }) => ({ name: label, value: values.get(label) ?? '' })),
  );
  const list = picked.map(({ label }) => label).join(', ');
  const again = l10n.t('Publish Again');
  void showInformationMessage(
    l10n.t('Variables set for {0}: {1}. Publish again to apply them.', record.name, list),
    again,
  ).then((pressed) => (pressed === again ? attempt(publish) : undefined));
}

/** Why a variable is not selected initially; empty if it is. */
function whyNot(name: string, there: ReadonlySet<string>): string {
  // The server's value may intentionally differ from the local one.
  if (there.has(name)) return l10n.t('already set on the server');
  return CLIENT_VARIABLES.has(name) ? l10n.t('used by the command line, not by content') : '';
}

async function isFolder(uri: Uri): Promise<boolean> {
  return ((await workspace.fs.stat(uri)).type & FileType.Directory) !== 0;
}

async function fileIn(dir: Uri): Promise<Uri | undefined> {
  const names = (await workspace.fs.readDirectory(dir))
    .filter(([name, type]) => VARIABLES_FILE.test(name) && (type & FileType.Directory) === 0)
    .map(([name]) => name);
  if (names.length === 0) {
    void showInformationMessage(l10n.t('This folder has no .env or .Renviron file.'));
    return undefined;
  }
  const placeHolder = l10n.t('Select a file with variables');
  const name = names.length === 1 ? names[0] : await window.showQuickPick(names.toSorted(), { placeHolder });
  return name === undefined ? undefined : Uri.joinPath(dir, name);
}
