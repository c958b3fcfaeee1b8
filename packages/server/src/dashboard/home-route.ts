// The front page: the dashboard for signed-in people, else the public content.
import type { FastifyInstance } from 'fastify';
import { contentBaseOf } from '../content/address.ts';
import { listPublicContent } from '../content/store.ts';
import type { BaseUrl } from '../http/base-url.ts';
import { escapeHtml, sendHtml } from '../http/pages.ts';
import { DASHBOARD_PREFIX } from '../http/paths.ts';
import type { Config } from '../main/config/settings.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Authenticator } from '../sign-in/authenticator.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly authenticator: Authenticator;
}

/** Anybody may request this page any number of times: its cost must not grow with the content. */
const MAX_SHOWN = 100;

export function mountHome(app: FastifyInstance, parts: Parts, base: BaseUrl): void {
  const { storage, authenticator, config } = parts;
  const dashboardOf = (root: string) => `${new URL(root).pathname.replace(/\/$/, '')}${DASHBOARD_PREFIX}/`;
  app.get('/', async (request, reply) => {
    const caller = await authenticator.identify(request.headers, 'GET').catch(() => null);
    const root = base.of(request.raw);
    if (caller) return reply.redirect(dashboardOf(root), 302);
    const rows = await listPublicContent(storage.db, MAX_SHOWN);
    const items = rows.map((row) => {
      const address = `${contentBaseOf(config, root)}/content/${row.guid}/`;
      return `<li><a href="${escapeHtml(address)}">${escapeHtml(row.title ?? row.name)}</a></li>`;
    });
    const list =
      items.length > 0 ? `<ul>${items.join('')}</ul>` : '<p>There is nothing to open here yet.</p>';
    reply.hijack();
    sendHtml(reply.raw, 200, 'Pressroom', `<h1>Pressroom</h1>${list}<p><a href="__login__">Sign in</a></p>`);
    return reply;
  });
  // The address other clients send people to: /connect/#/apps/{guid}. The fragment is handled by the dashboard's
  // script.
  app.get('/connect', (request, reply) => reply.redirect(dashboardOf(base.of(request.raw)), 302));
}
