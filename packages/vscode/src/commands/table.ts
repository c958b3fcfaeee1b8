// All commands. A new file needs only a row here: the manifest and the registration are generated from it.
import { activateDraft } from './activate-draft.ts';
import { adoptContent } from './adopt-content.ts';
import { cancel } from './cancel.ts';
import { checkStatus } from './check-status.ts';
import { chooseType } from './choose-type.ts';
import type { Command } from './command.ts';
import { compareBundle } from './compare-bundle.ts';
import { compare } from './compare.ts';
import { deleteContent } from './delete-content.ts';
import { discardDraft } from './discard-draft.ts';
import { followLog } from './follow-log.ts';
import { forgetTarget } from './forget-target.ts';
import { manageVariables } from './manage-variables.ts';
import { nameTarget } from './name-target.ts';
import { openDashboard } from './open-dashboard.ts';
import { openDraft } from './open-draft.ts';
import { open } from './open.ts';
import { publishAsNew } from './publish-as-new.ts';
import { publishDraft } from './publish-draft.ts';
import { publishShown } from './publish-shown.ts';
import { publishTo } from './publish-to.ts';
import { publish } from './publish.ts';
import { refresh } from './refresh.ts';
import { restart } from './restart.ts';
import { rollbackLast } from './rollback-last.ts';
import { rollback } from './rollback.ts';
import { schedule } from './schedule.ts';
import { selectTarget } from './select-target.ts';
import { setVariables } from './set-variables.ts';
import { showFiles } from './show-files.ts';
import { showLog } from './show-log.ts';
import { showProcessLog } from './show-process-log.ts';
import { showRenderingLog } from './show-rendering-log.ts';
import { signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';
import { stop } from './stop.ts';
import { variants } from './variants.ts';

/** By name without `pressroom.`; menus and translations depend on it. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  publish,
  publishTo,
  selectTarget,
  publishAsNew,
  publishDraft,
  publishShown,
  openDraft,
  activateDraft,
  discardDraft,
  adoptContent,
  nameTarget,
  forgetTarget,
  deleteContent,
  chooseType,
  cancel,
  checkStatus,
  open,
  compare,
  compareBundle,
  rollback,
  rollbackLast,
  setVariables,
  manageVariables,
  showProcessLog,
  showRenderingLog,
  followLog,
  restart,
  stop,
  schedule,
  variants,
  openDashboard,
  showFiles,
  showLog,
  refresh,
  signIn,
  signOut,
};
