// `unlock`: allows deploys of a content item again.
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import type { Command } from '../command.ts';
import { lockTexts } from '../lock/texts.ts';
import { resolveContent } from '../shared/find-content.ts';
import { unlockTexts } from './texts.ts';

export const unlock: Command = {
  texts: unlockTexts,
  syntax: {
    usage: 'unlock <content>',
    examples: ['unlock sales-report'],
    subject: 'required',
    options: {},
  },
  account: 'own',
  async run(run) {
    const found = await resolveContent(run);
    if ('message' in found) return found.message;
    await run.client.deleteDeployLock({ guid: found.content.guid }, { signal: run.signal });
    return note(lockTexts(run.texts).unlocked(inline(titleOf(found.content))));
  },
};
