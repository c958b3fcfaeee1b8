// Decides when content gets another process, and which process a connection goes to.
import type { ContentRow } from '../../content/store.ts';
import type { Config } from '../../main/config/settings.ts';

/** Times in seconds; 0 of the last two means never. */
export interface Scheduling {
  readonly minProcesses: number;
  readonly maxProcesses: number;
  readonly maxConnections: number;
  readonly loadFactor: number;
  readonly initTimeout: number;
  readonly idleTimeout: number;
  readonly connectionTimeout: number;
  readonly readTimeout: number;
}

/** The content's own values, else those of the server (contract, section 2, Content). */
export function schedulingOf(content: ContentRow, config: Config): Scheduling {
  return {
    minProcesses: content.min_processes ?? config['Scheduler.MinProcesses'],
    maxProcesses: content.max_processes ?? config['Scheduler.MaxProcesses'],
    maxConnections: content.max_conns_per_process ?? config['Scheduler.MaxConnsPerProcess'],
    loadFactor: content.load_factor ?? config['Scheduler.LoadFactor'],
    initTimeout: content.init_timeout ?? config['Scheduler.InitTimeout'],
    idleTimeout: content.idle_timeout ?? config['Scheduler.IdleTimeout'],
    connectionTimeout: content.connection_timeout ?? config['Scheduler.ConnectionTimeout'],
    readTimeout: content.read_timeout ?? config['Scheduler.ReadTimeout'],
  };
}

/**
 * Whether one more connection requires one more process. A load factor of 0 gives each connection its own process; with
 * 1 a process is filled before the next one starts.
 */
export function wantsProcess(scheduling: Scheduling, processes: number, connections: number): boolean {
  const { maxProcesses, maxConnections, loadFactor } = scheduling;
  if (processes >= maxProcesses) return false;
  return processes === 0 || connections + 1 > loadFactor * maxConnections * processes;
}

/** The process with the fewest connections and a free slot; null if all are full. */
export function leastLoaded<W extends { readonly connections: number }>(
  workers: readonly W[],
  maxConnections: number,
): W | null {
  const free = workers.filter((worker) => worker.connections < maxConnections);
  return free.reduce<W | null>(
    (best, worker) => (best === null || worker.connections < best.connections ? worker : best),
    null,
  );
}

const BACK_OFF_MS = [0, 1000, 2000, 5000, 10_000, 30_000, 60_000];

/** Milliseconds until the next attempt, after consecutive failures. */
export function backOff(failures: number): number {
  return BACK_OFF_MS.at(Math.min(failures, BACK_OFF_MS.length - 1)) ?? 0;
}
