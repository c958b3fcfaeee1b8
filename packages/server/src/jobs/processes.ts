// Processes of content on any server of the cluster: stop, measure, read logs.
import type { Cluster } from '../cluster/cluster.ts';
import type { Calls } from '../cluster/listen-for-servers.ts';
import type { Applications } from '../runtime/applications.ts';
import type { Jobs } from './jobs.ts';
import type { LogPart } from './log-file.ts';
import { type Usage, usageOf } from './process-usage.ts';
import type { JobRow } from './store.ts';

export interface Processes {
  /** Ends the processes of a content item on all servers; the next visitor starts new ones. */
  stopAll(contentGuid: string, signal: AbortSignal): Promise<void>;
  /** Ends them on other servers only. @param signal aborted when nobody waits for the result */
  stopElsewhere(contentGuid: string, signal: AbortSignal): Promise<void>;
  /** Drains the processes of a content item on all servers: no new visitors, end after the last one. */
  drainAll(contentGuid: string): void;
  /** Ends one process; false if it or its server is gone. */
  stopOne(job: JobRow): Promise<boolean>;
  /** Resource usage by job key; without servers that do not respond. */
  usageOf(jobs: readonly JobRow[]): Promise<ReadonlyMap<string, Usage>>;
  /**
   * Output of a process on another server; waits up to `wait` milliseconds for more. Null if its log is read on this
   * server.
   */
  readElsewhere(job: JobRow, first: number, wait: number, signal: AbortSignal): Promise<LogPart | null>;
}

interface Parts {
  readonly jobs: Jobs;
  readonly applications: Pick<Applications, 'stop' | 'stopOne' | 'drain'>;
  /** Null if servers cannot reach each other. */
  readonly cluster: Cluster | null;
  /** Asks servers that cannot be called, or one of them, without waiting. */
  readonly publishStop: (contentGuid: string, node?: string) => void;
  readonly publishDrain: (contentGuid: string) => void;
}

/** A call to another server. */
type Call = (name: string, values: object, signal?: AbortSignal) => Promise<unknown>;

export function createProcesses(parts: Parts): Processes {
  const { jobs, applications, cluster, publishStop, publishDrain } = parts;

  /** Null if it cannot be called. */
  async function serverOf(node: string): Promise<Call | null> {
    const member = (await cluster?.member(node)) ?? null;
    return member && cluster && ((...args) => cluster.call(member, ...args));
  }

  async function stopElsewhere(content: string, signal: AbortSignal): Promise<void> {
    if (!cluster) return publishStop(content);
    const others = await cluster.others();
    const calls = others.map(async (one) => {
      await cluster.call(one, 'stop', { content }, signal);
      return one.node;
    });
    const responses = await Promise.allSettled(calls);
    signal.throwIfAborted();
    const stopped = responses.flatMap((response) =>
      response.status === 'fulfilled' ? [response.value] : [],
    );
    // A server that did not respond may be paused or unreachable: its processes end when it returns.
    for (const node of await jobs.stopExceptOn(content, stopped)) publishStop(content, node);
  }

  async function measure(call: Call, own: readonly JobRow[]): Promise<(readonly [string, Usage])[]> {
    const pids = own.map(({ pid }) => pid);
    const response = (await call('usage', { pids })) as [number, Usage][];
    const usage = new Map(response);
    return own.flatMap(({ key, pid }) => pair(key, usage.get(pid)));
  }

  return {
    stopElsewhere,
    async stopAll(contentGuid, signal) {
      await Promise.all([applications.stop(contentGuid), stopElsewhere(contentGuid, signal)]);
    },
    drainAll(contentGuid) {
      applications.drain(contentGuid);
      publishDrain(contentGuid);
    },
    async stopOne(job) {
      const { key } = job;
      if (job.node === jobs.node) return applications.stopOne(key);
      const call = await serverOf(job.node);
      return (await call?.('end', { key })) === true;
    },
    async usageOf(all) {
      const nodes = Map.groupBy(all, ({ node }) => node);
      const own = nodes.get(jobs.node) ?? [];
      nodes.delete(jobs.node);
      const elsewhere = [...nodes].map(async ([node, rows]) => {
        const call = await serverOf(node);
        return call ? measure(call, rows).catch(() => []) : [];
      });
      const usage = await usageOf(own.map(({ pid }) => pid));
      const here = own.flatMap(({ key, pid }) => pair(key, usage.get(pid)));
      return new Map([...here, ...(await Promise.all(elsewhere)).flat()]);
    },
    async readElsewhere(job, first, wait, signal) {
      if (job.ended !== null || job.node === jobs.node) return null;
      const call = await serverOf(job.node);
      if (!call) return null;
      const values = { content: job.content_guid, key: job.key, first, wait };
      return (await call('log', values, signal).catch(() => null)) as LogPart | null;
    },
  };
}

interface ProcessCallParts {
  readonly jobs: Jobs;
  readonly applications: Pick<Applications, 'stop' | 'stopOne'>;
}

/** Calls that other servers make about processes on this one. */
export function processCalls({ jobs, applications }: ProcessCallParts): Calls {
  return {
    async stop({ content }) {
      await applications.stop(String(content));
    },
    end: ({ key }) => applications.stopOne(String(key)),
    async usage({ pids }) {
      return [...(await usageOf((pids as unknown[]).map(Number)))];
    },
    async log({ content, key, first, wait }, signal) {
      const more = jobs.nextLine(String(key), Number(wait), signal);
      const read = () => jobs.readLog(String(content), String(key), Number(first));
      const part = await read();
      if (part.entries.length > 0 || !(Number(wait) > 0)) return part;
      await more;
      return read();
    },
  };
}

function pair(key: string, usage: Usage | undefined): (readonly [string, Usage])[] {
  return usage ? [[key, usage]] : [];
}
