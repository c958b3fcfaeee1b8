// The commands that work without files, and what they take.
import { activateDraft } from '../commands/activate-draft.ts';
import type { Command } from '../commands/command.ts';
import { discardDraft } from '../commands/discard-draft.ts';
import { followLog } from '../commands/follow-log.ts';
import { manageVariables } from '../commands/manage-variables.ts';
import { open } from '../commands/open.ts';
import { openDashboard } from '../commands/open-dashboard.ts';
import { openDraft } from '../commands/open-draft.ts';
import { refresh } from '../commands/refresh.ts';
import { restart } from '../commands/restart.ts';
import { rollback } from '../commands/rollback.ts';
import { rollbackLast } from '../commands/rollback-last.ts';
import { schedule } from '../commands/schedule.ts';
import { showLog } from '../commands/show-log.ts';
import { showProcessLog } from '../commands/show-process-log.ts';
import { signIn } from '../commands/sign-in.ts';
import { signOut } from '../commands/sign-out.ts';
import { stop } from '../commands/stop.ts';

interface WebCommand extends Pick<Command, 'run'> {
  readonly takes: 'content' | 'anything';
}

const onContent = {
  activateDraft,
  discardDraft,
  followLog,
  manageVariables,
  open,
  openDashboard,
  openDraft,
  restart,
  rollback,
  rollbackLast,
  schedule,
  showProcessLog,
  stop,
};
const onAnything = { refresh, showLog, signIn, signOut };

/** By the name behind `pressroom.`. */
export const WEB_COMMANDS: Readonly<Record<string, WebCommand>> = Object.fromEntries([
  ...Object.entries(onContent).map(([name, { run }]) => [name, { run, takes: 'content' }] as const),
  ...Object.entries(onAnything).map(([name, { run }]) => [name, { run, takes: 'anything' }] as const),
]);
