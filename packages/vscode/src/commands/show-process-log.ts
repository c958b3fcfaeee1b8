// Shows the log of a process of published content.
import type { Command } from './command.ts';
import { signedIn } from './content-of.ts';
import { APPLICATION_NODE } from './when.ts';

export const showProcessLog: Command = {
  title: 'Show Process Logs',
  menus: [{ in: 'view/item/context', when: APPLICATION_NODE, group: '4_run@2' }],
  async run(parts, argument) {
    const found = await signedIn(parts, argument);
    if (found) await parts.processLogs.show(found.record);
  },
};
