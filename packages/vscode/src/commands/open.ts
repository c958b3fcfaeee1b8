// Opens published content in the browser.
import { openPage } from '../ui/open-page.ts';
import type { Command } from './command.ts';
import { signedIn } from './content-of.ts';
import { PUBLISHED_NODE } from './when.ts';

export const open: Command = {
  title: 'Open Published Content',
  icon: '$(link-external)',
  menus: [
    { in: 'view/item/context', when: PUBLISHED_NODE, group: 'inline@3' },
    { in: 'view/item/context', when: PUBLISHED_NODE, group: '1_publish@3' },
  ],
  async run(parts, argument) {
    const found = await signedIn(parts, argument);
    if (found) openPage((await parts.history.content(found.record)).url);
  },
};
