// Links that publish: vscode://pressroom.pressroom/publish?folder=/path. Anyone can create one, so the user must
// confirm.
import path from 'node:path';
import { l10n, type UriHandler } from 'vscode';
import { attempt } from '../ui/attempt.ts';
import { confirm, showErrorMessage } from '../ui/messages.ts';
import type { Directories } from './directories/directories.ts';
import { mayUseKeys } from './may-use-keys.ts';
import type { Publisher } from './publisher.ts';

export function createUriHandler(
  publisher: Pick<Publisher, 'publish'>,
  directories: Pick<Directories, 'folderOf' | 'meantBy'>,
): UriHandler {
  return {
    async handleUri(uri) {
      if (uri.path !== '/publish' || !mayUseKeys()) return;
      const folder = folderIn(uri.query);
      const refuse = () => void showErrorMessage(l10n.t('{0} is not in this workspace.', folder ?? ''));
      if (folder !== undefined && (!path.isAbsolute(folder) || directories.folderOf(folder) === undefined))
        return refuse();
      const dir = await directories.meantBy(folder);
      if (dir === undefined) return;
      // What does not exist is not the folder above it.
      if (folder !== undefined && dir !== path.resolve(folder)) return refuse();
      const question = l10n.t('A link requests to publish {0}.', path.basename(dir));
      if (await confirm(question, l10n.t('Publish'), dir)) await attempt(() => publisher.publish(dir));
    },
  };
}

/**
 * Decoded by the editor, but not in the browser: decoding it again would change names with "+" and "%". A decoded name
 * may contain "&": it ends where another parameter begins.
 */
function folderIn(query: string): string | undefined {
  const given = /(?:^|&)folder=(.*?)(?=&\w+=|$)/.exec(query)?.[1];
  if (given === undefined || path.isAbsolute(given)) return given;
  return new URLSearchParams(query).get('folder') ?? given;
}
