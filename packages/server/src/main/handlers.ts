// Every operation with the handler of its name; the compiler sees to it that none is missing.
import type { Handlers } from '../http/request.ts';
import { applicationsRoutes } from '../content/applications/routes.ts';
import { auditRoutes } from '../audit/routes.ts';
import { bundlesRoutes } from '../bundles/routes.ts';
import { contentRoutes } from '../content/routes.ts';
import { deploysRoutes } from '../deploys/routes.ts';
import { groupsRoutes } from '../groups/routes.ts';
import { jobsRoutes } from '../runtime/jobs/routes.ts';
import { peopleRoutes } from '../people/routes.ts';
import { permissionsRoutes } from '../content/permissions/routes.ts';
import { schedulesRoutes } from '../schedules/routes.ts';
import { settingsRoutes } from '../settings/routes.ts';
import { signInRoutes } from '../sign-in/routes.ts';
import { tasksRoutes } from '../tasks/routes.ts';
import { usageRoutes } from '../usage/routes.ts';

export const handlers: Handlers = {
  ...applicationsRoutes,
  ...auditRoutes,
  ...bundlesRoutes,
  ...contentRoutes,
  ...deploysRoutes,
  ...groupsRoutes,
  ...jobsRoutes,
  ...peopleRoutes,
  ...permissionsRoutes,
  ...schedulesRoutes,
  ...settingsRoutes,
  ...signInRoutes,
  ...tasksRoutes,
  ...usageRoutes,
};
