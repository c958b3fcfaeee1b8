// All paths of the dashboard: the page to show, or the form to handle and the page that shows a refusal.
import type { Act, Render } from './page.ts';
import { decideAccess } from './pages/access-requests.ts';
import {
  authenticator,
  confirmAuthenticator,
  dropAuthenticator,
  renewCodes,
} from './pages/account-authenticator.ts';
import { dropPasskey, passkeys, registerPasskey } from './pages/account-passkeys.ts';
import { account, askForRole, endOwnSession, savePassword } from './pages/account.ts';
import { saveApprovalRule, saveApprover } from './pages/approval-rule.ts';
import { audit } from './pages/audit.ts';
import { authorizeProgram, decide as decideProgram } from './pages/authorize-program.ts';
import { backup } from './pages/backup.ts';
import { saveCanaryRule } from './pages/canary-rule.ts';
import { endCanary, promoteCanary } from './pages/canary-table.ts';
import { compareBundles } from './pages/compare-bundles.ts';
import { comparePages } from './pages/compare-pages.ts';
import {
  addAccess,
  contentAccess,
  handOver,
  removeAccess,
  setAccessType,
  setVanity,
} from './pages/content-access.ts';
import {
  approveRelease,
  contentBundles,
  deleteBundle,
  discardDraft,
  overrideRelease,
} from './pages/content-bundles.ts';
import { changeRepository } from './pages/content-git.ts';
import { contentList } from './pages/content-list.ts';
import { contentLogs } from './pages/content-logs.ts';
import {
  contentOverview,
  deleteContent,
  deployAgain,
  renderAgain,
  restart,
  stop,
} from './pages/content-overview.ts';
import { changePackageSources } from './pages/content-repositories.ts';
import {
  contentSettings,
  removePicture,
  saveBar,
  saveProcesses,
  saveSchedule,
  saveSettings,
  setVariable,
} from './pages/content-settings.ts';
import { changeTag, deleteTag, makeTag, saveTag, tag, tags } from './pages/content-tags.ts';
import { changeTrust } from './pages/content-trust.ts';
import { contentUsage } from './pages/content-usage.ts';
import { contentUse } from './pages/content-use.ts';
import {
  contentVariant,
  contentVariants,
  createVariant,
  acceptHeld,
  deleteVariant,
  discardHeld,
  renderVariant,
  saveVisitors,
  updateVariant,
} from './pages/content-variants.ts';
import { lockDeploys, unlockDeploys } from './pages/deploy-lock.ts';
import { decide, device } from './pages/device.ts';
import { addMembers, deleteGroup, group, groups, makeGroup, removeMember } from './pages/groups.ts';
import { keys, makeKey, revokeKey } from './pages/keys.ts';
import {
  addPerson,
  changePeople,
  dropFactors,
  endSessionOf,
  lockPerson,
  makePasswordLink,
  people,
  person,
  revokeOf,
  savePerson,
} from './pages/people.ts';
import { publish } from './pages/publish.ts';
import { release } from './pages/release.ts';
import { requestAccess, sendRequest } from './pages/request-access.ts';
import { decideListedAccess, decideRole, requests } from './pages/requests.ts';
import { closeServer, drainProcesses, killProcess } from './pages/server-actions.ts';
import { serverCheck } from './pages/server-check.ts';
import { server } from './pages/server.ts';
import { startCanary } from './pages/start-canary.ts';
import { cancelTask, task } from './pages/task.ts';
import { tasks } from './pages/tasks.ts';
import { decide as decideToken, token } from './pages/token.ts';
import { keepUnused, unused } from './pages/unused.ts';
import { saveRecipients, sendNow } from './pages/variant-mail.ts';
import { setVisitorKeys } from './pages/visitor-keys.ts';

/** Parameters in Fastify's syntax. */
export const PAGES: readonly (readonly [path: string, render: Render])[] = [
  ['/', contentList],
  ['/content/:guid', contentOverview],
  ['/content/:guid/bundles', contentBundles],
  ['/content/:guid/bundles/compare', compareBundles],
  ['/content/:guid/bundles/pages', comparePages],
  ['/content/:guid/bundles/:id', release],
  ['/content/:guid/logs', contentLogs],
  ['/content/:guid/usage', contentUsage],
  ['/content/:guid/access', contentAccess],
  ['/content/:guid/request', requestAccess],
  ['/content/:guid/settings', contentSettings],
  ['/content/:guid/variants', contentVariants],
  ['/content/:guid/variants/:key', contentVariant],
  ['/tasks/:id', task],
  ['/publish', publish],
  ['/requests', requests],
  ['/unused', unused],
  ['/keys', keys],
  ['/account', account],
  ['/account/authenticator', authenticator],
  ['/account/passkeys', passkeys],
  ['/device', device],
  ['/authorize', authorizeProgram],
  ['/token', token],
  ['/users', people],
  ['/users/:guid', person],
  ['/groups', groups],
  ['/tags', tags],
  ['/tags/:id', tag],
  ['/groups/:guid', group],
  ['/audit', audit],
  ['/server', server],
  ['/tasks', tasks],
  ['/content-use', contentUse],
  ['/backup', backup],
  ['/server-check', serverCheck],
];

export const FORMS: readonly (readonly [path: string, act: Act, refused: Render])[] = [
  ['/content/:guid/deploy', deployAgain, contentOverview],
  ['/content/:guid/render', renderAgain, contentOverview],
  ['/content/:guid/restart', restart, contentOverview],
  ['/content/:guid/stop', stop, contentOverview],
  ['/content/:guid/delete', deleteContent, contentOverview],
  ['/content/:guid/bundles/:id/delete', deleteBundle, contentBundles],
  ['/content/:guid/bundles/:id/canary', startCanary, release],
  ['/content/:guid/canary/promote', promoteCanary, contentBundles],
  ['/content/:guid/canary/back', endCanary, contentBundles],
  ['/content/:guid/lock', lockDeploys, contentBundles],
  ['/content/:guid/lock/remove', unlockDeploys, contentBundles],
  ['/content/:guid/drafts/:id/discard', discardDraft, contentBundles],
  ['/content/:guid/releases/:id/approve', approveRelease, contentBundles],
  ['/content/:guid/releases/:id/override', overrideRelease, contentBundles],
  ['/content/:guid/settings/approvals', saveApprovalRule, contentSettings],
  ['/content/:guid/settings/canary', saveCanaryRule, contentSettings],
  ['/content/:guid/settings/approvers', saveApprover, contentSettings],
  ['/content/:guid/request', sendRequest, requestAccess],
  ['/content/:guid/access/requests', decideAccess, contentAccess],
  ['/content/:guid/access/type', setAccessType, contentAccess],
  ['/content/:guid/access/add', addAccess, contentAccess],
  ['/content/:guid/access/remove', removeAccess, contentAccess],
  ['/content/:guid/access/vanity', setVanity, contentAccess],
  ['/content/:guid/access/owner', handOver, contentAccess],
  ['/content/:guid/access/visitors', setVisitorKeys, contentAccess],
  ['/content/:guid/settings', saveSettings, contentSettings],
  ['/content/:guid/settings/processes', saveProcesses, contentSettings],
  ['/content/:guid/settings/bar', saveBar, contentSettings],
  ['/content/:guid/settings/picture/remove', removePicture, contentSettings],
  ['/content/:guid/settings/schedule', saveSchedule, contentSettings],
  ['/content/:guid/settings/variables', setVariable, contentSettings],
  ['/content/:guid/variants', createVariant, contentVariants],
  ['/content/:guid/variants/visitors', saveVisitors, contentVariants],
  ['/content/:guid/variants/:key', updateVariant, contentVariant],
  ['/content/:guid/variants/:key/render', renderVariant, contentVariant],
  ['/content/:guid/variants/:key/delete', deleteVariant, contentVariant],
  ['/content/:guid/variants/:key/accept', acceptHeld, contentVariant],
  ['/content/:guid/variants/:key/discard', discardHeld, contentVariant],
  ['/content/:guid/variants/:key/recipients', saveRecipients, contentVariant],
  ['/content/:guid/variants/:key/send', sendNow, contentVariant],
  ['/content/:guid/settings/trust', changeTrust, contentSettings],
  ['/content/:guid/settings/packages', changePackageSources, contentSettings],
  ['/content/:guid/settings/git', changeRepository, contentSettings],
  ['/content/:guid/settings/tags', saveTag, contentSettings],
  ['/tags', makeTag, tags],
  ['/tags/delete', deleteTag, tags],
  ['/tags/:id', changeTag, tag],
  ['/tasks/:id/cancel', cancelTask, task],
  ['/device', decide, device],
  ['/authorize', decideProgram, authorizeProgram],
  ['/token', decideToken, token],
  ['/keys', makeKey, keys],
  ['/keys/revoke', revokeKey, keys],
  ['/requests/access', decideListedAccess, requests],
  ['/requests/role', decideRole, requests],
  ['/unused', keepUnused, unused],
  ['/account/role', askForRole, account],
  ['/account/password', savePassword, account],
  ['/account/sessions/end', endOwnSession, account],
  ['/account/authenticator', confirmAuthenticator, authenticator],
  ['/account/authenticator/remove', dropAuthenticator, authenticator],
  ['/account/authenticator/codes', renewCodes, authenticator],
  ['/account/passkeys', registerPasskey, passkeys],
  ['/account/passkeys/remove', dropPasskey, passkeys],
  ['/users', addPerson, people],
  ['/users/bulk', changePeople, people],
  ['/users/:guid', savePerson, person],
  ['/users/:guid/lock', lockPerson, person],
  ['/users/:guid/revoke', revokeOf, person],
  ['/users/:guid/password-link', makePasswordLink, person],
  ['/users/:guid/sessions/end', endSessionOf, person],
  ['/users/:guid/second-factors/remove', dropFactors, person],
  ['/server/kill', killProcess, server],
  ['/server/drain', drainProcesses, server],
  ['/server/close', closeServer, server],
  ['/groups', makeGroup, groups],
  ['/groups/:guid/add', addMembers, group],
  ['/groups/:guid/remove', removeMember, group],
  ['/groups/:guid/delete', deleteGroup, group],
];
