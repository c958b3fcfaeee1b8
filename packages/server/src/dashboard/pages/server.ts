// The server for administrators: versions, runtimes, isolation, current activity.
import { findKind } from '@pressroom/api/contract';
import { toTimestamp } from '../../platform/clock.ts';
import type { Installation } from '../../runtime/installations.ts';
import { findEngines } from '../../runtime/kinds/index.ts';
import { openTasks } from '../../tasks/store.ts';
import { html } from '../html.ts';
import { type Page, type PageRequest, requireAdministrator } from '../page.ts';
import { section, table, time } from '../parts.ts';
import { serverStatus } from './server-status.ts';

export async function server(request: PageRequest): Promise<Page> {
  const { parts, call, root } = request;
  await requireAdministrator(request);
  const { installations, isolation, origins, storage, config } = parts;
  const settings = await call('getServerSettings');
  const versions = (found: readonly Installation[]) => found.map(({ version }) => version).join(', ');
  const has = {
    R: versions(await installations.listR()),
    Python: versions(await installations.listPython()),
  };
  const engines = await Promise.all(
    findEngines().map(async ({ appmode, engine }) => {
      const { language = null, program } = engine.kind === 'files' ? {} : engine;
      const needs = language ?? program?.name ?? null;
      const found = language ? has[language] : await program?.version(config, installations);
      const isThere = needs === null ? 'always' : found;
      return [
        findKind(appmode)?.plural ?? appmode,
        appmode,
        needs ?? 'nothing',
        isThere ? html`<span class="good">${isThere}</span>` : html`<span class="bad">missing</span>`,
      ];
    }),
  );
  const findings = [...isolation.report, ...origins].map((item) => [
    item.protected ? html`<span class="good">yes</span>` : html`<span class="bad">no</span>`,
    item.message,
  ]);
  const tasks = (await openTasks(storage.db)).map((task) => [
    html`<a href="${root}/tasks/${task.id}">${task.kind}</a>`,
    task.content_guid !== null &&
      html`<a href="${root}/content/${task.content_guid}">${task.name ?? task.content_guid}</a>`,
    time(toTimestamp(task.created_time)),
  ]);
  const rows = tasks.map((row) => row.map((cell) => cell || null));
  const installed = html`<dl>
    <dt>Version</dt>
    <dd>${settings.server_version}</dd>
    <dt>Node</dt>
    <dd>${process.version}</dd>
    <dt>R</dt>
    <dd>${has.R || 'not installed'}</dd>
    <dt>Python</dt>
    <dd>${has.Python || 'not installed'}</dd>
    <dt>Database</dt>
    <dd>${storage.name}</dd>
    <dt>Sign-in</dt>
    <dd>${config['Authentication.Provider']}</dd>
  </dl>`;
  const body = html`<p>
      <a href="${root}/tasks">All tasks</a> · <a href="${root}/content-use">Content by last use</a> ·
      <a href="${root}/tags">Tags</a> · <a href="${root}/backup">Backup</a> ·
      <a href="${root}/server-check">Check the server and its certificates</a>
    </p>
    ${await serverStatus(request, tasks.length)}
    ${section(request, 'Running tasks', table('Open tasks', ['Task', 'Content', 'Since'], rows), true)}
    ${section(request, 'Installed', installed)}
    ${section(request, 'Engines', table('Engines', ['Runs', 'Manifest', 'Needs', 'Found'], engines))}
    ${section(request, 'Isolation', table('Protections', ['Protected', 'Details'], findings))}`;
  return { title: 'Server', section: 'server', body };
}
