// `who`: the owner of a content item, and who can view and edit it.
import type { Command } from '../command.ts';
import { resolveContent } from '../shared/find-content.ts';
import { accessTo } from './access.ts';
import { whoMessage } from './blocks.ts';
import { whoTexts } from './texts.ts';

export const who: Command = {
  texts: whoTexts,
  syntax: {
    usage: 'who <content>',
    examples: ['who sales-report'],
    subject: 'required',
    options: {},
  },
  account: 'any',
  async run(run) {
    const found = await resolveContent(run);
    if ('message' in found) return found.message;
    const { content } = found;
    const words = whoTexts(run.texts);
    const { owner, people, more, complete } = await accessTo(run, content);
    const rows = people.map(({ name, mayEdit }) => ({
      name,
      access: mayEdit ? words.canEdit : words.canView,
    }));
    return whoMessage({ content, owner, people: rows, more, complete }, run.share, run.texts);
  },
};
