// Current activity of the server for administrators: today's deploys, processes, memory, event loop.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ServerState } from '@pressroom/api/contract';
import { listHeartbeats } from '../../cluster/heartbeat-store.ts';
import { openJobs } from '../../jobs/store.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database/storage.ts';
import { deploysSince } from '../../tasks/store.ts';
import { html, type Html } from '../html.ts';
import type { PageRequest } from '../page.ts';
import { actionButton, bytes, duration, inRow, section, table, time } from '../parts.ts';

const DAY = 86_400_000_000;
const FAILURES_SHOWN = 10;

/** For administrators only: it names everybody's content. @param waiting number of unfinished tasks */
export async function serverStatus(request: PageRequest, waiting: number): Promise<Html> {
  const { parts, root } = request;
  const { storage, clock, jobs, config, disk, processes } = parts;
  const deploys = await deploysSince(storage.db, clock.now() - DAY);
  const failures = deploys.filter(
    ({ finished, code, end_reason }) => finished === 1 && code !== 0 && end_reason !== 'cancelled',
  );
  const open = await openJobs(storage.db);
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  // The event loop delay is measured while usage is collected.
  const usage = await processes.usageOf(open);
  loop.disable();
  const used = [...usage.values()];
  const memory = used.reduce((sum, one) => sum + one.memory, 0);
  const link = (guid: string, name: string) => html`<a href="${root}/content/${guid}">${name}</a>`;
  const reached = (node: string) => node === jobs.node || config['Cluster.Listen'] !== '';
  const names = storage.isShared ? await serverNames(storage.db) : null;
  const rows = open.map((job) => {
    const own = usage.get(job.key);
    return [
      link(job.content_guid, job.name),
      job.run_as,
      ...(names ? [names.get(job.node) ?? 'unknown'] : []),
      own ? bytes(own.memory) : null,
      own ? `${Math.round(own.cpu * 100)} %` : null,
      time(toTimestamp(job.started)),
      processActions(request, job, reached(job.node)),
    ];
  });
  const columns = ['Content', 'Account', ...(names ? ['Server'] : []), 'Memory', 'CPU', 'Since', ''];
  const failed = failures
    .slice(0, FAILURES_SHOWN)
    .map((task) => [
      html`<a href="${root}/tasks/${task.id}">${time(toTimestamp(task.created_time))}</a>`,
      task.content_guid && link(task.content_guid, task.name ?? task.content_guid),
      task.error,
    ]);
  const took = deploys.flatMap(({ finished_time: end, created_time: begin }) =>
    end === null ? [] : [end - begin],
  );
  const middle = took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)];
  return html`<dl>
      <dt>Deploys, 24 hours</dt>
      <dd>
        ${deploys.length}, of which ${failures.length}
        failed${middle !== undefined && html`; median duration ${duration(middle)}`}
      </dd>
      <dt>Queue</dt>
      <dd>
        ${waiting === 1 ? '1 task' : `${waiting} tasks`}; ${config['Applications.MaxConcurrentDeploys']}
        deploys at once
      </dd>
      <dt>Processes</dt>
      <dd>${open.length}, using ${bytes(memory)}</dd>
      <dt>Memory of the server</dt>
      <dd>${bytes(process.memoryUsage.rss())}, up for ${duration(process.uptime() * 1e6)}</dd>
      <dt>Event loop</dt>
      <dd>delayed by ${Math.max(0, loop.max / 1e6 - 5).toFixed(0)} ms at most while this page was made</dd>
      <dt>Free disk space</dt>
      <dd>${disk.room === null ? 'not known' : bytes(disk.room.free)}</dd>
    </dl>
    ${section(request, 'Failed deploys', table('Failed deploys of the last 24 hours', ['When', 'Content', 'Error'], failed), true)}
    ${section(request, 'Processes', table('Running processes', columns, rows), true)}
    ${await draining(request)}`;
}

async function serverNames(db: Executor): Promise<ReadonlyMap<string, string>> {
  return new Map(
    (await listHeartbeats(db)).flatMap(({ node, name }) => (name === null ? [] : [[node, name]])),
  );
}

/** @param isReached whether its server can be told to end it */
function processActions(
  request: PageRequest,
  {
    content_guid: guid,
    key,
    name,
    started,
  }: { content_guid: string; key: string; name: string; started: number },
  isReached: boolean,
): Html {
  const one = html`${name}, process ${key}, since ${time(toTimestamp(started))}`;
  return html`${actionButton(request, '/server/drain', inRow('Drain', name), { guid })}
  ${isReached && actionButton(request, '/server/kill', inRow('End now', one), { guid, key })}`;
}

/** Drains a server before it is stopped: visitors stay on their processes, but it starts no new ones. */
async function draining(request: PageRequest): Promise<Html> {
  const { call, parts } = request;
  const { all_draining, servers } = await call('getServers');
  const isAlone = servers.length === 1 && !parts.storage.isShared;
  const button = (closes: boolean, label: string, server = '') =>
    actionButton(request, '/server/close', server === '' ? label : inRow(label, `on ${server}`), {
      closed: closes ? '1' : '0',
      server,
    });
  const state = (one: ServerState) =>
    one.draining
      ? html`<strong>starts no processes</strong>, since ${time(one.drained_time)}, by ${one.drained_by}`
      : 'processes start on demand';
  const rows = servers.map((one) => [
    one.name === parts.drain.server ? html`${one.name} (this page comes from it)` : one.name,
    one.running ? 'yes' : html`<span class="bad">no</span>`,
    state(one),
    all_draining
      ? null
      : one.draining
        ? button(false, 'Start processes again', one.name)
        : button(true, 'Start no more processes', one.name),
  ]);
  const all = all_draining
    ? button(false, isAlone ? 'Start processes again' : 'Start processes again on all')
    : button(true, isAlone ? 'Start no more processes' : 'Start no more processes on all');
  const body = html`<p>
      Running processes keep their visitors, and /__health__/ready returns 503, so that a proxy sends new ones
      to other servers. This stays on after a restart, until you let processes start again.
    </p>
    ${
      isAlone
        ? html`<p>This server: ${state(servers[0]!)}.</p>`
        : table('Servers', ['Server', 'Runs', 'Processes', ''], rows)
    }
    <p>${all}</p>`;
  const isDraining = servers.some(({ draining: one }) => one);
  return section(request, 'Before a server is stopped', body, isDraining);
}
