// Every operation with the handler of its name; the compiler sees to it that none is missing.
import type { Handlers } from '../request.ts';
import { createApplication } from './applications/createApplication.ts';
import { deployApplication } from './applications/deployApplication.ts';
import { getApplication } from './applications/getApplication.ts';
import { getApplicationConfig } from './applications/getApplicationConfig.ts';
import { getMe } from './applications/getMe.ts';
import { getPublisher } from './applications/getPublisher.ts';
import { listApplications } from './applications/listApplications.ts';
import { updateApplication } from './applications/updateApplication.ts';
import { uploadApplication } from './applications/uploadApplication.ts';
import { getAuditLogs } from './audit/getAuditLogs.ts';
import { deleteBundle } from './bundles/deleteBundle.ts';
import { deleteBundleGa } from './bundles/deleteBundleGa.ts';
import { downloadBundle } from './bundles/downloadBundle.ts';
import { downloadBundleGa } from './bundles/downloadBundleGa.ts';
import { getBundle } from './bundles/getBundle.ts';
import { getBundleGa } from './bundles/getBundleGa.ts';
import { getBundles } from './bundles/getBundles.ts';
import { getBundlesGa } from './bundles/getBundlesGa.ts';
import { uploadContentBundleGa } from './bundles/uploadContentBundleGa.ts';
import { createContent } from './content/createContent.ts';
import { createContentGa } from './content/createContentGa.ts';
import { deleteContent } from './content/deleteContent.ts';
import { deleteContentGa } from './content/deleteContentGa.ts';
import { deployContentBundle } from './content/deployContentBundle.ts';
import { deployContentBundleGa } from './content/deployContentBundleGa.ts';
import { getContent } from './content/getContent.ts';
import { getContentGa } from './content/getContentGa.ts';
import { listContentGa } from './content/listContentGa.ts';
import { updateContent } from './content/updateContent.ts';
import { updateContentGa } from './content/updateContentGa.ts';
import { uploadContentBundle } from './content/uploadContentBundle.ts';
import { addGroupMember } from './groups/addGroupMember.ts';
import { createGroup } from './groups/createGroup.ts';
import { createRemoteGroup } from './groups/createRemoteGroup.ts';
import { deleteGroup } from './groups/deleteGroup.ts';
import { getGroup } from './groups/getGroup.ts';
import { getGroupMembers } from './groups/getGroupMembers.ts';
import { getGroups } from './groups/getGroups.ts';
import { removeGroupMember } from './groups/removeGroupMember.ts';
import { searchRemoteGroups } from './groups/searchRemoteGroups.ts';
import { getContentVisits } from './instrumentation/getContentVisits.ts';
import { getShinyAppUsage } from './instrumentation/getShinyAppUsage.ts';
import { addPermission } from './permissions/addPermission.ts';
import { deletePermission } from './permissions/deletePermission.ts';
import { deleteVanity } from './permissions/deleteVanity.ts';
import { getEnvironment } from './permissions/getEnvironment.ts';
import { getPermission } from './permissions/getPermission.ts';
import { getPermissions } from './permissions/getPermissions.ts';
import { getVanity } from './permissions/getVanity.ts';
import { setVanity } from './permissions/setVanity.ts';
import { updateEnvironment } from './permissions/updateEnvironment.ts';
import { updatePermission } from './permissions/updatePermission.ts';
import { deleteContentSchedule } from './runs/deleteContentSchedule.ts';
import { getContentJobLog } from './runs/getContentJobLog.ts';
import { getContentJobs } from './runs/getContentJobs.ts';
import { getContentSchedule } from './runs/getContentSchedule.ts';
import { renderContent } from './runs/renderContent.ts';
import { setContentSchedule } from './runs/setContentSchedule.ts';
import { getPythonInformation } from './server-settings/getPythonInformation.ts';
import { getRInformation } from './server-settings/getRInformation.ts';
import { getServerSettings } from './server-settings/getServerSettings.ts';
import { cancelTask } from './tasks/cancelTask.ts';
import { getApplicationTask } from './tasks/getApplicationTask.ts';
import { getTask } from './tasks/getTask.ts';
import { getTaskGa } from './tasks/getTaskGa.ts';
import { beginDeviceSignIn } from './users/beginDeviceSignIn.ts';
import { changePassword } from './users/changePassword.ts';
import { createPasswordLink } from './users/createPasswordLink.ts';
import { requestPasswordReset } from './users/requestPasswordReset.ts';
import { resetPassword } from './users/resetPassword.ts';
import { getSessions } from './users/getSessions.ts';
import { endSession } from './users/endSession.ts';
import { removeSecondFactors } from './users/removeSecondFactors.ts';
import { createApiKey } from './users/createApiKey.ts';
import { createOwnApiKey } from './users/createOwnApiKey.ts';
import { createPullUser } from './users/createPullUser.ts';
import { createPushUser } from './users/createPushUser.ts';
import { deleteApiKey } from './users/deleteApiKey.ts';
import { getApiKeys } from './users/getApiKeys.ts';
import { getCurrentUser } from './users/getCurrentUser.ts';
import { getUser } from './users/getUser.ts';
import { getUsers } from './users/getUsers.ts';
import { lockUser } from './users/lockUser.ts';
import { pollDeviceSignIn } from './users/pollDeviceSignIn.ts';
import { searchRemoteUsers } from './users/searchRemoteUsers.ts';
import { updateUser } from './users/updateUser.ts';

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
