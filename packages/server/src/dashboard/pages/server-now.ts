// What the server is doing now, for administrators: deploys of a day, processes, memory, the event loop.
import { hostname } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { usageOf } from '../../jobs/process-usage.ts';
import { openJobs } from '../../jobs/store.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { deploysSince } from '../../tasks/store.ts';
import { html, type Html } from '../html.ts';
import type { PageRequest } from '../page.ts';
import { actionButton, bytes, duration, table, time } from '../parts.ts';

const DAY = 86_400_000_000;
const FAILURES_SHOWN = 10;

/** For administrators only: it names content of everybody. @param waiting tasks that have not ended */
export async function serverNow(request: PageRequest, waiting: number): Promise<Html> {
  const { parts, root } = request;
  const { storage, clock, jobs, config, disk } = parts;
  const deploys = await deploysSince(storage.db, clock.now() - DAY);
  const failures = deploys.filter(({ finished, code }) => finished === 1 && code !== 0);
  const open = await openJobs(storage.db);
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  // Measuring takes a moment, in which the loop is watched.
  const usage = await usageOf(open.filter(({ node }) => node === jobs.node).map(({ pid }) => pid));
  loop.disable();
  const used = [...usage.values()];
  const memory = used.reduce((sum, one) => sum + one.memory, 0);
  const link = (guid: string, name: string) => html`<a href="${root}/content/${guid}">${name}</a>`;
  const processes = open.map((job) => {
    const own = job.node === jobs.node ? usage.get(job.pid) : undefined;
    return [
      link(job.content_guid, job.name),
      job.run_as,
      own ? bytes(own.memory) : null,
      own ? `${Math.round(own.cpu * 100)} %` : null,
      time(toTimestamp(job.started)),
      job.node === jobs.node ? processActions(request, job) : 'on another server',
    ];
  });
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
        failed${middle !== undefined && html`; half took less than ${duration(middle)}`}
      </dd>
      <dt>Queue</dt>
      <dd>${waiting} tasks; ${config['Applications.MaxConcurrentDeploys']} deploys at once</dd>
      <dt>Processes</dt>
      <dd>${open.length}, using ${bytes(memory)}</dd>
      <dt>Memory of the server</dt>
      <dd>${bytes(process.memoryUsage.rss())}, up for ${duration(process.uptime() * 1e6)}</dd>
      <dt>Event loop</dt>
      <dd>delayed by ${Math.max(0, loop.max / 1e6 - 5).toFixed(0)} ms at most while this page was made</dd>
      <dt>Free disk space</dt>
      <dd>${disk.room === null ? 'not known' : bytes(disk.room.free)}</dd>
    </dl>
    <h2>Failed deploys</h2>
    ${table('Failed deploys of the last 24 hours', ['When', 'Content', 'Error'], failed)}
    <h2>Processes</h2>
    ${table('Running processes', ['Content', 'Account', 'Memory', 'CPU', 'Since', ''], processes)}
    ${closing(request)}`;
}

function processActions(
  request: PageRequest,
  { content_guid: guid, key }: { content_guid: string; key: string },
): Html {
  return html`${actionButton(request, '/server/drain', 'Drain', { guid })}
  ${actionButton(request, '/server/kill', 'End now', { guid, key })}`;
}

/** Before a server is stopped: visitors stay where they are, and others find no new process here. */
function closing(request: PageRequest): Html {
  const { isClosed } = request.parts.applications;
  const others =
    request.parts.storage.isShared &&
    html`<p>
      This page comes from ${hostname()}. Draining, ending and this button are for it alone: the other servers
      of the database go on.
    </p>`;
  return html`<h3>Before this server is stopped</h3>
    ${others}
    <p>
      ${
        isClosed
          ? html`<strong>This server starts no processes</strong>, and /__health__/ready says so. Those that
              run go on.`
          : 'Processes start as visitors come.'
      }
      ${actionButton(request, '/server/close', isClosed ? 'Start processes again' : 'Start no more processes', { closed: isClosed ? '0' : '1' })}
    </p>`;
}
