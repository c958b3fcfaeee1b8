// The front page: the content that the visitor may open, until there is a dashboard.
import type { FastifyInstance } from 'fastify';
import { contentRole } from '../domain/policies.ts';
import type { Services } from '../services.ts';
import { listContent } from '../storage/content.ts';
import { escapeHtml, sendHtml } from './pages.ts';

export function mountHome(app: FastifyInstance, services: Services): void {
  app.get('/', async (request, reply) => {
    const { storage, authenticator } = services;
    const caller = await authenticator.identify(request.headers, 'GET').catch(() => null);
    const rows = await listContent(storage.db, caller?.guid ?? '', {});
    const visible = rows.filter((row) => {
      if (row.site === null) return false;
      if (!caller) return row.access_type === 'all';
      const role = contentRole(row, caller, row.granted);
      return role !== null && role !== 'none';
    });
    const items = visible.map((row) => {
      const title = escapeHtml(row.title ?? row.name);
      return `<li><a href="content/${row.guid}/">${title}</a></li>`;
    });
    const list =
      items.length > 0 ? `<ul>${items.join('')}</ul>` : '<p>There is nothing to open here yet.</p>';
    const who = caller ? `Signed in as ${escapeHtml(caller.username)}` : '<a href="__login__">Sign in</a>';
    reply.hijack();
    sendHtml(reply.raw, 200, 'Pressroom', `<h1>Pressroom</h1>${list}<p>${who}</p>`);
  });
}
