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
      // Decoded by the editor: decoding it again would change names with "+" and "%".
      const folder = /(?:^|&)folder=([^&]*)/.exec(uri.query)?.[1];
      if (folder !== undefined && (!path.isAbsolute(folder) || directories.folderOf(folder) === undefined)) {
        void showErrorMessage(l10n.t('{0} is not in this workspace.', folder));
        return;
      }
      const dir = await directories.meantBy(folder);
      if (dir === undefined) return;
      const question = l10n.t('A link requests to publish {0}.', path.basename(dir));
      if (await confirm(question, l10n.t('Publish'), dir)) await attempt(() => publisher.publish(dir));
    },
  };
}
