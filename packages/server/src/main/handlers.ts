// All operations with their handlers; the compiler ensures that none is missing.
import { absentRoutes } from '../absent/routes.ts';
import { auditRoutes } from '../audit/routes.ts';
import { backupsRoutes } from '../backups/routes.ts';
import { bundlePicturesRoutes } from '../bundles/pictures/routes.ts';
import { bundlesRoutes } from '../bundles/routes.ts';
import { canariesRoutes } from '../canaries/routes.ts';
import { clusterRoutes } from '../cluster/routes.ts';
import { accessRequestsRoutes } from '../content/access-requests/routes.ts';
import { olderApplicationsRoutes } from '../content/applications/older-routes.ts';
import { applicationsRoutes } from '../content/applications/routes.ts';
import { linksRoutes } from '../content/links/routes.ts';
import { packageSourcesRoutes } from '../content/package-sources/routes.ts';
import { packagesRoutes } from '../content/packages/routes.ts';
import { permissionsRoutes } from '../content/permissions/routes.ts';
import { contentRoutes } from '../content/routes.ts';
import { searchRoutes } from '../content/search/routes.ts';
import { thumbnailsRoutes } from '../content/thumbnails/routes.ts';
import { unusedRoutes } from '../content/unused/routes.ts';
import { vanityRoutes } from '../content/vanity/routes.ts';
import { variablesRoutes } from '../content/variables/routes.ts';
import { bundleReleaseRoutes } from '../deploys/approvals/bundle-release.ts';
import { approvalRoutes } from '../deploys/approvals/routes.ts';
import { deploysRoutes } from '../deploys/routes.ts';
import { gitRoutes } from '../git/routes.ts';
import { groupsRoutes } from '../groups/routes.ts';
import type { Handlers } from '../http/request.ts';
import { integrationsRoutes } from '../integrations/routes.ts';
import { jobsRoutes } from '../jobs/routes.ts';
import { mailingRoutes } from '../mailing/routes.ts';
import { roleRequestsRoutes } from '../people/role-requests/routes.ts';
import { peopleRoutes } from '../people/routes.ts';
import { schedulesRoutes } from '../schedules/routes.ts';
import { variantsRoutes } from '../schedules/variants-routes.ts';
import { cachesRoutes } from '../settings/caches-routes.ts';
import { settingsRoutes } from '../settings/routes.ts';
import { signInRoutes } from '../sign-in/routes.ts';
import { trustedPublishersRoutes } from '../sign-in/trusted-publishers/routes.ts';
import { tagsRoutes } from '../tags/routes.ts';
import { tasksRoutes } from '../tasks/routes.ts';
import { usageRoutes } from '../usage/routes.ts';
import { contentVariantsRoutes } from '../variants/routes.ts';
import type { Services } from './services.ts';

export const handlers: Handlers<Services> = {
  ...absentRoutes,
  ...approvalRoutes,
  ...bundleReleaseRoutes,
  ...applicationsRoutes,
  ...auditRoutes,
  ...backupsRoutes,
  ...bundlePicturesRoutes,
  ...bundlesRoutes,
  ...canariesRoutes,
  ...cachesRoutes,
  ...clusterRoutes,
  ...contentRoutes,
  ...contentVariantsRoutes,
  ...deploysRoutes,
  ...gitRoutes,
  ...groupsRoutes,
  ...integrationsRoutes,
  ...jobsRoutes,
  ...linksRoutes,
  ...mailingRoutes,
  ...olderApplicationsRoutes,
  ...packageSourcesRoutes,
  ...packagesRoutes,
  ...peopleRoutes,
  ...roleRequestsRoutes,
  ...accessRequestsRoutes,
  ...permissionsRoutes,
  ...vanityRoutes,
  ...variablesRoutes,
  ...schedulesRoutes,
  ...searchRoutes,
  ...settingsRoutes,
  ...signInRoutes,
  ...tagsRoutes,
  ...tasksRoutes,
  ...thumbnailsRoutes,
  ...trustedPublishersRoutes,
  ...unusedRoutes,
  ...usageRoutes,
  ...variantsRoutes,
};
