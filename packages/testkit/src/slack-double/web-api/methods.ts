// The Web API methods that the bot calls, over a workspace in memory, refusing what Slack would refuse.
import type { Workspace } from '../workspace.ts';
import { accountMethods } from './account.ts';
import { chatMethods } from './chat.ts';
import { createChecks, type CheckFaults, type Methods } from './checks.ts';
import { conversationsMethods } from './conversations.ts';
import { filesMethods } from './files.ts';
import { viewsMethods } from './views.ts';

export interface WebApiOptions {
  readonly faults: CheckFaults;
  /** Base address of uploads. */
  readonly base: () => string;
  readonly bot: { readonly token: string };
}

export function createMethods(space: Workspace, { faults, base, bot }: WebApiOptions): Methods {
  const checks = createChecks(space, faults);
  return {
    ...accountMethods(space, bot),
    ...chatMethods(space, checks),
    ...conversationsMethods(space, checks, faults),
    ...viewsMethods(space, checks),
    ...filesMethods(space, checks, base),
  };
}
