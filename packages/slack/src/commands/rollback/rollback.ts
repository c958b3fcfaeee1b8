// `rollback`: goes back to the previous bundle, after a confirmation.
import { randomUUID } from 'node:crypto';
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import type { Command } from '../command.ts';
import { bundlesOf, resolveContent } from '../shared/find-content.ts';
import { previousBundle } from '../shared/start-deploy.ts';
import { rollbackMessage } from './blocks.ts';
import { rollbackKey } from './clicks.ts';

export const rollback: Command = {
  syntax: {
    usage: 'rollback <content>',
    summary: 'Go back to the previous bundle, after you confirm',
    examples: ['rollback sales-report'],
    subject: 'required',
    options: {},
  },
  account: 'own',
  async run(run) {
    const found = await resolveContent(run);
    if ('message' in found) return found.message;
    const { content } = found;
    const title = titleOf(content);
    const to = previousBundle(await bundlesOf(run, content.guid), content.bundle_id);
    if (to === null) return note(`*${inline(title)}* has no previous bundle.`);
    const key = rollbackKey(randomUUID(), content.guid, to.id);
    return rollbackMessage({ key, title, from: content.bundle_id, to });
  },
};
