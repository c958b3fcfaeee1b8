// Mounts everything except content: the API, the dashboard, sign-in.
import { openApi } from '@pressroom/api/contract';
import type { FastifyInstance } from 'fastify';
import { mountAuditExport } from '../audit/export-route.ts';
import { mountDashboard } from '../dashboard/dashboard-route.ts';
import { mountHome } from '../dashboard/home-route.ts';
import type { BaseUrl } from '../http/base-url.ts';
import { allowOrigins } from '../http/cross-origin.ts';
import { createOperations, mountApi } from '../http/mount.ts';
import { API_PREFIX } from '../http/paths.ts';
import type { ResponseCache } from '../http/response-cache.ts';
import { mountHealth } from '../monitoring/health-route.ts';
import { mountAuthorizationServer } from '../sign-in/authorization-server/route.ts';
import { mountSignIn } from '../sign-in/pages/route.ts';
import type { ContentPlaces } from '../visitors/content-places.ts';
import { handlers } from './handlers.ts';
import type { Services } from './services.ts';

export function mountRoutes(
  app: FastifyInstance,
  services: Services,
  { base, places, responses }: { base: BaseUrl; places: ContentPlaces; responses: ResponseCache },
): void {
  allowOrigins(app, services.config['HTTP.AllowedOrigins']);
  const table = createOperations(services, handlers);
  mountApi(app, services, table, base, responses, places);
  mountDashboard(app, services, table, base, places);
  mountAuditExport(app, services, base);
  mountHome(app, services, base);
  mountSignIn(app, services, base);
  mountAuthorizationServer(app, services, base);
  mountHealth(app, services);
  app.get(`${API_PREFIX}/openapi.json`, () => openApi());
}
