// Deletes published content from the server, with all its bundles, and forgets the target.
import { RefusedError } from '@pressroom/api/client';
import { removeRecord } from '@pressroom/api/publish';
import { l10n } from 'vscode';
import { isOf } from '../store/targets.ts';
import { confirm, showInformationMessage } from '../ui/messages.ts';
import { hostOf, linksText, usedText } from '../ui/texts.ts';
import type { Command } from './command.ts';
import { signedIn } from './content-of.ts';
import { NODE } from './when.ts';

export const deleteContent: Command = {
  title: 'Delete Content on Server',
  menus: [{ in: 'view/item/context', when: `${NODE} /^content/`, group: '9_remove@2' }],
  async run(parts, argument) {
    const found = await signedIn(parts, argument);
    if (found === undefined) return;
    const { dir, record } = found;
    const [use, links] = await Promise.all([parts.history.recentUse(record), parts.history.links(record)]);
    const question = l10n.t('Delete {0} on {1}?', record.name, hostOf(record.server));
    const detail = [
      l10n.t('Its bundles, variables and logs are deleted for everybody. This cannot be undone.'),
      ...(use === null ? [] : [usedText(use)]),
      ...(links === null || links.total === 0 ? [] : [linksText(links)]),
    ].join('\n');
    if (!(await confirm(question, l10n.t('Delete'), detail))) return;
    try {
      await parts.history.deleteContent(record);
    } catch (error) {
      // It was deleted meanwhile.
      if (!(error instanceof RefusedError && error.status === 404)) throw error;
    }
    await removeRecord(record.file);
    // The next publish asks again, unless there is another target.
    if (isOf(record, parts.memory.target(dir))) {
      parts.memory.aim(dir, undefined);
      parts.memory.choose(dir, undefined);
    }
    await parts.directories.save(dir);
    await parts.store.reload(dir);
    void showInformationMessage(l10n.t('{0} was deleted.', record.name));
  },
};
