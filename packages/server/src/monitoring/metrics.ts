// Prometheus metrics of the server: requests, tasks, processes of content, database, disk, and Node.js itself.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { countWaiting } from '../audit/store.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import type { DiskWatch } from '../platform/disk-watch.ts';
import type { Containers } from '../runtime/sandbox/starter.ts';
import type { TaskRow } from '../tasks/store.ts';
import { createRequestMetrics } from './request-metrics.ts';
import type { RequestObserver } from './request-observer.ts';
import { countOpenJobs, countOpenTasks } from './store.ts';

export interface Metrics {
  readonly registry: Registry;
  readonly requests: RequestObserver;
  /** To be called when a process of live content crashes. */
  crash(): void;
  /** To be called when a task starts or ends. */
  task(row: TaskRow): void;
}

/** Seconds, for durations of deploys and renders. */
const TASK_BUCKETS = [1, 3, 10, 30, 100, 300, 1000];
const MICROS = 1_000_000;

export interface Measured {
  readonly storage: Storage;
  readonly disk: DiskWatch;
  readonly applications: { readonly isClosed: boolean };
  readonly containers: Pick<Containers, 'responds'> | null;
  /** Receivers of audit entries and events. */
  readonly receivers: readonly {
    readonly name: string;
    readonly label: string;
    readonly newest: (db: Executor) => Promise<number>;
  }[];
}

export function createMetrics({ storage, disk, applications, containers, receivers }: Measured): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  // Registered before the metrics that query the database, which would count as waiting.
  new Gauge({
    name: 'pressroom_database_connections',
    help: 'Connections of this server to PostgreSQL; waiting: requests that wait for one',
    labelNames: ['state'],
    registers,
    collect() {
      const { open, idle, waiting } = storage.connections() ?? {};
      if (open === undefined) return;
      this.set({ state: 'open' }, open);
      this.set({ state: 'idle' }, idle ?? 0);
      this.set({ state: 'waiting' }, waiting ?? 0);
    },
  });
  new Gauge({
    name: 'pressroom_tasks',
    help: 'Tasks that wait or run, on all servers of the database',
    labelNames: ['kind'],
    registers,
    async collect() {
      const open = await countOpenTasks(storage.db);
      this.reset();
      for (const { kind, count } of open) this.set({ kind }, Number(count));
    },
  });
  new Gauge({
    name: 'pressroom_content_processes',
    help: 'Processes of content that run, on all servers of the database',
    labelNames: ['node'],
    registers,
    async collect() {
      const open = await countOpenJobs(storage.db);
      this.reset();
      for (const { node, count } of open) this.set({ node }, Number(count));
    },
  });
  new Gauge({
    name: 'pressroom_draining',
    help: '1 while this server starts no processes, because it was told to drain',
    registers,
    collect() {
      this.set(applications.isClosed ? 1 : 0);
    },
  });
  new Gauge({
    name: 'pressroom_disk_free_bytes',
    help: 'Free space on the disk of the data directory, looked at every minute',
    registers,
    collect() {
      if (disk.room) this.set(disk.room.free);
    },
  });
  if (receivers.length > 0) {
    new Gauge({
      name: 'pressroom_undelivered',
      help: 'Audit entries and events that a receiver has not accepted yet, of all servers of the database',
      labelNames: ['receiver'],
      registers,
      async collect() {
        const { db } = storage;
        const counts = await Promise.all(receivers.map(({ name, newest }) => countWaiting(db, name, newest)));
        this.reset();
        // Several may be at one host.
        receivers.forEach(({ label }, at) => this.inc({ receiver: label }, counts[at]));
      },
    });
  }
  if (containers !== null) {
    new Gauge({
      name: 'pressroom_container_engine_up',
      help: '0 while the container engine does not respond to this server',
      registers,
      async collect() {
        this.set((await containers.responds()) ? 1 : 0);
      },
    });
  }
  const crashes = new Counter({
    name: 'pressroom_content_crashes_total',
    help: 'Processes of content that ended with an error on this server',
    registers,
  });
  const ended = new Counter({
    name: 'pressroom_tasks_finished_total',
    help: 'Tasks that ended on this server',
    labelNames: ['kind', 'result'],
    registers,
  });
  const durations = new Histogram({
    name: 'pressroom_task_duration_seconds',
    help: 'Time from the request for a task until its end, waiting included',
    labelNames: ['kind'],
    buckets: TASK_BUCKETS,
    registers,
  });
  return {
    registry,
    requests: createRequestMetrics(registry),
    crash: () => crashes.inc(),
    task({ kind, finished, code, end_reason, created_time, finished_time }) {
      if (finished === 0 || finished_time === null) return;
      ended.inc({ kind, result: end_reason ?? (code === 0 ? 'success' : 'failure') });
      durations.observe({ kind }, (finished_time - created_time) / MICROS);
    },
  };
}
