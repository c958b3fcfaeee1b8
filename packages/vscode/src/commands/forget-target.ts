// Forgets a target: removes its record; its content stays on the server.
import { removeRecord } from '@pressroom/api/publish';
import { l10n } from 'vscode';
import { targetName } from '../store/targets.ts';
import { confirm } from '../ui/messages.ts';
import type { Command } from './command.ts';
import { contentOf } from './content-of.ts';
import { NODE } from './when.ts';

export const forgetTarget: Command = {
  title: 'Forget Target',
  menus: [{ in: 'view/item/context', when: `${NODE} /^content/`, group: '9_remove@1' }],
  async run(parts, argument) {
    const found = await contentOf(parts, argument);
    if (found === undefined) return;
    const { dir, record } = found;
    const question = l10n.t('Forget the target {0}?', targetName(record));
    const detail = l10n.t(
      '{0} stays on the server. To publish to it again, use existing content.',
      record.name,
    );
    if (!(await confirm(question, l10n.t('Forget'), detail))) return;
    await removeRecord(record.file);
    await parts.directories.save(dir);
    await parts.store.reload(dir);
  },
};
