// Shows what a rendering of a published document printed.
import type { Command } from './command.ts';
import { signedIn } from './content-of.ts';
import { DOCUMENT_NODE } from './when.ts';

export const showRenderingLog: Command = {
  title: 'Show Rendering Logs',
  menus: [{ in: 'view/item/context', when: DOCUMENT_NODE, group: '4_run@8' }],
  async run(parts, argument) {
    const found = await signedIn(parts, argument);
    if (found) await parts.processLogs.show(found.record);
  },
};
