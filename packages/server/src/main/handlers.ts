// Every operation with the handler of its name; the compiler sees to it that none is missing.
import type { Handlers } from '../http/request.ts';
import { createApplication } from '../content/applications/routes/createApplication.ts';
import { deployApplication } from '../deploys/routes/deployApplication.ts';
import { getApplication } from '../content/applications/routes/getApplication.ts';
import { getApplicationConfig } from '../content/applications/routes/getApplicationConfig.ts';
import { getMe } from '../content/applications/routes/getMe.ts';
import { getPublisher } from '../content/applications/routes/getPublisher.ts';
import { listApplications } from '../content/applications/routes/listApplications.ts';
import { updateApplication } from '../content/applications/routes/updateApplication.ts';
import { uploadApplication } from '../bundles/routes/uploadApplication.ts';
import { getAuditLogs } from '../audit/routes/getAuditLogs.ts';
import { deleteBundle } from '../bundles/routes/deleteBundle.ts';
import { deleteBundleGa } from '../bundles/routes/deleteBundleGa.ts';
import { downloadBundle } from '../bundles/routes/downloadBundle.ts';
import { downloadBundleGa } from '../bundles/routes/downloadBundleGa.ts';
import { getBundle } from '../bundles/routes/getBundle.ts';
import { getBundleGa } from '../bundles/routes/getBundleGa.ts';
import { getBundles } from '../bundles/routes/getBundles.ts';
import { getBundlesGa } from '../bundles/routes/getBundlesGa.ts';
import { uploadContentBundleGa } from '../bundles/routes/uploadContentBundleGa.ts';
import { createContent } from '../content/routes/createContent.ts';
import { createContentGa } from '../content/routes/createContentGa.ts';
import { deleteContent } from '../content/routes/deleteContent.ts';
import { deleteContentGa } from '../content/routes/deleteContentGa.ts';
import { deployContentBundle } from '../deploys/routes/deployContentBundle.ts';
import { deployContentBundleGa } from '../deploys/routes/deployContentBundleGa.ts';
import { getContent } from '../content/routes/getContent.ts';
import { getContentGa } from '../content/routes/getContentGa.ts';
import { listContentGa } from '../content/routes/listContentGa.ts';
import { updateContent } from '../content/routes/updateContent.ts';
import { updateContentGa } from '../content/routes/updateContentGa.ts';
import { uploadContentBundle } from '../bundles/routes/uploadContentBundle.ts';
import { addGroupMember } from '../groups/routes/addGroupMember.ts';
import { createGroup } from '../groups/routes/createGroup.ts';
import { createRemoteGroup } from '../groups/routes/createRemoteGroup.ts';
import { deleteGroup } from '../groups/routes/deleteGroup.ts';
import { getGroup } from '../groups/routes/getGroup.ts';
import { getGroupMembers } from '../groups/routes/getGroupMembers.ts';
import { getGroups } from '../groups/routes/getGroups.ts';
import { removeGroupMember } from '../groups/routes/removeGroupMember.ts';
import { searchRemoteGroups } from '../groups/routes/searchRemoteGroups.ts';
import { getContentVisits } from '../usage/routes/getContentVisits.ts';
import { getShinyAppUsage } from '../usage/routes/getShinyAppUsage.ts';
import { addPermission } from '../content/permissions/routes/addPermission.ts';
import { deletePermission } from '../content/permissions/routes/deletePermission.ts';
import { deleteVanity } from '../content/permissions/routes/deleteVanity.ts';
import { getEnvironment } from '../content/permissions/routes/getEnvironment.ts';
import { getPermission } from '../content/permissions/routes/getPermission.ts';
import { getPermissions } from '../content/permissions/routes/getPermissions.ts';
import { getVanity } from '../content/permissions/routes/getVanity.ts';
import { setVanity } from '../content/permissions/routes/setVanity.ts';
import { updateEnvironment } from '../content/permissions/routes/updateEnvironment.ts';
import { updatePermission } from '../content/permissions/routes/updatePermission.ts';
import { deleteContentSchedule } from '../schedules/routes/deleteContentSchedule.ts';
import { getContentJobLog } from '../runtime/jobs/routes/getContentJobLog.ts';
import { getContentJobs } from '../runtime/jobs/routes/getContentJobs.ts';
import { getContentSchedule } from '../schedules/routes/getContentSchedule.ts';
import { renderContent } from '../deploys/routes/renderContent.ts';
import { setContentSchedule } from '../schedules/routes/setContentSchedule.ts';
import { getPythonInformation } from '../settings/routes/getPythonInformation.ts';
import { getRInformation } from '../settings/routes/getRInformation.ts';
import { getServerSettings } from '../settings/routes/getServerSettings.ts';
import { cancelTask } from '../tasks/routes/cancelTask.ts';
import { getApplicationTask } from '../tasks/routes/getApplicationTask.ts';
import { getTask } from '../tasks/routes/getTask.ts';
import { getTaskGa } from '../tasks/routes/getTaskGa.ts';
import { beginDeviceSignIn } from '../sign-in/routes/beginDeviceSignIn.ts';
import { changePassword } from '../sign-in/routes/changePassword.ts';
import { createPasswordLink } from '../sign-in/routes/createPasswordLink.ts';
import { requestPasswordReset } from '../sign-in/routes/requestPasswordReset.ts';
import { resetPassword } from '../sign-in/routes/resetPassword.ts';
import { getSessions } from '../sign-in/routes/getSessions.ts';
import { endSession } from '../sign-in/routes/endSession.ts';
import { removeSecondFactors } from '../sign-in/routes/removeSecondFactors.ts';
import { createApiKey } from '../sign-in/routes/createApiKey.ts';
import { createOwnApiKey } from '../sign-in/routes/createOwnApiKey.ts';
import { createPullUser } from '../people/routes/createPullUser.ts';
import { createPushUser } from '../people/routes/createPushUser.ts';
import { deleteApiKey } from '../sign-in/routes/deleteApiKey.ts';
import { getApiKeys } from '../sign-in/routes/getApiKeys.ts';
import { getCurrentUser } from '../people/routes/getCurrentUser.ts';
import { getUser } from '../people/routes/getUser.ts';
import { getUsers } from '../people/routes/getUsers.ts';
import { lockUser } from '../people/routes/lockUser.ts';
import { pollDeviceSignIn } from '../sign-in/routes/pollDeviceSignIn.ts';
import { searchRemoteUsers } from '../people/routes/searchRemoteUsers.ts';
import { updateUser } from '../people/routes/updateUser.ts';

export const handlers: Handlers = {
  changePassword,
  createPasswordLink,
  endSession,
  getSessions,
  removeSecondFactors,
  requestPasswordReset,
  resetPassword,
  setContentSchedule,
  renderContent,
  getContentSchedule,
  getContentJobs,
  getContentJobLog,
  deleteContentSchedule,
  addGroupMember,
  addPermission,
  beginDeviceSignIn,
  cancelTask,
  pollDeviceSignIn,
  createApiKey,
  createApplication,
  createContent,
  createContentGa,
  createGroup,
  createOwnApiKey,
  createPullUser,
  createPushUser,
  createRemoteGroup,
  deleteApiKey,
  deleteBundle,
  deleteBundleGa,
  deleteContent,
  deleteContentGa,
  deleteGroup,
  deletePermission,
  deleteVanity,
  deployApplication,
  deployContentBundle,
  deployContentBundleGa,
  downloadBundle,
  downloadBundleGa,
  getApiKeys,
  getApplication,
  getApplicationConfig,
  getApplicationTask,
  getAuditLogs,
  getBundle,
  getBundleGa,
  getBundles,
  getBundlesGa,
  getContent,
  getContentGa,
  getContentVisits,
  getCurrentUser,
  getEnvironment,
  getGroup,
  getGroupMembers,
  getGroups,
  getMe,
  getPermission,
  getPermissions,
  getPublisher,
  getPythonInformation,
  getRInformation,
  getServerSettings,
  getShinyAppUsage,
  getTask,
  getTaskGa,
  getUser,
  getUsers,
  getVanity,
  listApplications,
  listContentGa,
  lockUser,
  removeGroupMember,
  searchRemoteGroups,
  searchRemoteUsers,
  setVanity,
  updateApplication,
  updateContent,
  updateContentGa,
  updateEnvironment,
  updatePermission,
  updateUser,
  uploadApplication,
  uploadContentBundle,
  uploadContentBundleGa,
};
