// The front page: the dashboard for who is signed in, else the content that anybody may open.
import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.ts';
import { listContent } from '../storage/content.ts';
import { contentBaseOf } from './api/content/view.ts';
import type { BaseUrl } from './base-url.ts';
import { DASHBOARD_PREFIX } from './dashboard-route.ts';
import { escapeHtml, sendHtml } from './pages.ts';

export function mountHome(app: FastifyInstance, services: Services, base: BaseUrl): void {
  const { storage, authenticator, config } = services;
  const dashboardOf = (root: string) => `${new URL(root).pathname.replace(/\/$/, '')}${DASHBOARD_PREFIX}/`;
  app.get('/', async (request, reply) => {
    const caller = await authenticator.identify(request.headers, 'GET').catch(() => null);
    const root = base.of(request.raw);
    if (caller) return reply.redirect(dashboardOf(root), 302);
    const rows = await listContent(storage.db, '', {});
    const open = rows.filter((row) => row.site !== null && row.access_type === 'all');
    const items = open.map((row) => {
      const address = `${contentBaseOf(config, root)}/content/${row.guid}/`;
      return `<li><a href="${escapeHtml(address)}">${escapeHtml(row.title ?? row.name)}</a></li>`;
    });
    const list =
      items.length > 0 ? `<ul>${items.join('')}</ul>` : '<p>There is nothing to open here yet.</p>';
    reply.hijack();
    sendHtml(reply.raw, 200, 'Pressroom', `<h1>Pressroom</h1>${list}<p><a href="__login__">Sign in</a></p>`);
    return reply;
  });
  // Where other clients send people: /connect/#/apps/{guid}. What stands behind the # is for the dashboard's script.
  app.get('/connect', (request, reply) => reply.redirect(dashboardOf(base.of(request.raw)), 302));
}
