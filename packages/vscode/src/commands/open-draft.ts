// Opens a draft at its address.
import { openPage } from '../ui/open-page.ts';
import type { Command } from './command.ts';
import { DRAFT_NODE, draftOf } from './draft-of.ts';

export const openDraft: Command = {
  title: 'Open Draft',
  icon: '$(link-external)',
  menus: [
    { in: 'view/item/context', when: DRAFT_NODE, group: 'inline@3' },
    { in: 'view/item/context', when: DRAFT_NODE, group: '1_bundle@2' },
  ],
  async run(parts, argument) {
    const found = await draftOf(parts, argument);
    if (found !== undefined) openPage(found.draft.url);
  },
};
