// Names a target, for example staging. The record contains the name, so that colleagues see it.
import { findContentRecord, TARGET_NAME, writeRecord } from '@pressroom/api/publish';
import { l10n, window } from 'vscode';
import type { Command } from './command.ts';
import { contentOf } from './content-of.ts';
import { NODE } from './when.ts';

export const nameTarget: Command = {
  title: 'Name Target',
  menus: [{ in: 'view/item/context', when: `${NODE} /^content/`, group: '2_target@2' }],
  async run(parts, argument) {
    const found = await contentOf(parts, argument);
    if (found === undefined) return;
    const { dir, record } = found;
    const name = await window.showInputBox({
      title: l10n.t('Name of the target'),
      prompt: l10n.t('A name such as staging or production; leave it empty for the name of the server.'),
      value: record.target ?? '',
      validateInput: (text) =>
        text.trim() === '' || TARGET_NAME.test(text.trim())
          ? undefined
          : l10n.t('Use at most 40 characters on one line.'),
    });
    if (name === undefined) return;
    // A publish may have written it meanwhile; a forgotten target stays forgotten.
    const now = await findContentRecord(dir, record);
    if (now === undefined) return;
    const { file, target: _before, ...rest } = now;
    await writeRecord(dir, { ...rest, ...(name.trim() !== '' && { target: name.trim() }) }, file);
    await parts.directories.save(dir);
    await parts.store.reload(dir);
  },
};
