// Follows the logs of the processes of published content, in a separate output channel.
import { attempt } from '../ui/attempt.ts';
import type { Command } from './command.ts';
import { signedIn } from './content-of.ts';
import { APPLICATION_NODE } from './when.ts';

export const followLog: Command = {
  title: 'Follow Process Log',
  menus: [{ in: 'view/item/context', when: APPLICATION_NODE, group: '4_run@3' }],
  async run(parts, argument) {
    const found = await signedIn(parts, argument);
    // Not awaited: it continues until the window closes.
    if (found) void attempt(() => parts.followedLogs.follow(found.record));
  },
};
