// All commands, in the order of the overview.
import type { AnyCommand, Section } from '../command.ts';
import { accessRequests } from './access-requests.ts';
import { activate } from './activate.ts';
import { admin } from './admin/index.ts';
import { approvals } from './approvals.ts';
import { approve } from './approve.ts';
import { bundles } from './bundles.ts';
import { canary } from './canary.ts';
import { changes } from './changes.ts';
import { comment } from './comment.ts';
import { createCompletion } from './completion.ts';
import { deleteContent } from './delete.ts';
import { deploy } from './deploy.ts';
import { deploys } from './deploys.ts';
import { download } from './download.ts';
import { drafts } from './drafts.ts';
import { git } from './git.ts';
import { createHelp } from './help.ts';
import { list } from './list.ts';
import { login } from './login.ts';
import { logs } from './logs.ts';
import { open } from './open.ts';
import { path } from './path.ts';
import { preview } from './preview.ts';
import { processes } from './processes.ts';
import { release } from './release.ts';
import { releases } from './releases.ts';
import { rename } from './rename.ts';
import { render } from './render.ts';
import { repositories } from './repositories.ts';
import { restart } from './restart.ts';
import { rollback } from './rollback.ts';
import { share } from './share.ts';
import { status } from './status.ts';
import { tags } from './tags.ts';
import { token } from './token.ts';
import { transfer } from './transfer.ts';
import { trust } from './trust.ts';
import { unshare } from './unshare.ts';
import { unused } from './unused.ts';
import { usage } from './usage.ts';
import { users } from './users.ts';
import { variables } from './variables.ts';
import { visitorKeys } from './visitor-keys.ts';
import { whoami } from './whoami.ts';

export const SECTIONS: readonly Section[] = [
  { title: 'Publish', commands: [login, deploy, list, status, logs, open] },
  { title: 'Run', commands: [processes, restart, render, variables, repositories] },
  { title: 'Versions', commands: [bundles, deploys, changes, download, drafts, activate, preview, rollback] },
  { title: 'Releases', commands: [release, releases, approve, approvals, canary] },
  { title: 'Git and CI', commands: [git, trust, comment] },
  {
    title: 'Access and usage',
    commands: [share, unshare, accessRequests, visitorKeys, transfer, usage, unused],
  },
  { title: 'Organize', commands: [tags, rename, path, deleteContent] },
  { title: 'Accounts', commands: [whoami, token, users, admin] },
  { title: 'Help', commands: [createCompletion(() => COMMANDS), createHelp(() => SECTIONS)] },
];

export const COMMANDS: readonly AnyCommand[] = SECTIONS.flatMap(({ commands }) => commands);
