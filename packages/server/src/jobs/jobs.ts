// Jobs: the processes of applications, each with a log that outlives it (docs/reference/api.md, getContentJobs).
import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LogArchives } from '../platform/blobs/blob-store.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import { failureOf } from '../platform/database/unreachable.ts';
import type { Ending } from '../runtime/sandbox/launcher.ts';
import { createLogFile, readLogFile, removeLogFile, type LogPart } from './log-file.ts';
import { fetchLog, forgetLog, storeLog } from './shared-logs.ts';
import {
  endJob,
  endLostJobs,
  heartbeatJobs,
  insertJob,
  listJobs,
  removeJob,
  reopenJobs,
  stopJobsExceptOn,
  unwantedJobs,
  type JobEnd,
} from './store.ts';

export interface JobSubject {
  readonly content_guid: string;
  readonly bundle_id: number;
  /** `run_app`, `run_api` … */
  readonly tag: string;
}

export interface Job {
  readonly key: string;
  write(line: string): void;
  /**
   * Records that the process runs.
   * @param restored directory of its packages
   */
  begin(pid: number, restored: string | null): Promise<void>;
  end(ending: Ending): Promise<void>;
  /** Called instead of `begin` if it could not be started; the log has the reason. */
  fail(): Promise<void>;
}

export interface Jobs extends AsyncDisposable {
  /** The id of this server in the cluster. */
  readonly node: string;
  open(subject: JobSubject): Promise<Job>;
  /** The last lines of a job's log from number `first` on, oldest first; empty if they are gone. */
  readLog(contentGuid: string, key: string, first: number): Promise<LogPart>;
  /** Resolves when a job of this server prints or ends, after a timeout, or when `signal` aborts. */
  nextLine(key: string, milliseconds: number, signal: AbortSignal): Promise<void>;
  /**
   * Requests all other servers except `nodes`, which could not be reached, to end the processes of a content item.
   * Returns the servers that ran some.
   */
  stopExceptOn(contentGuid: string, nodes: readonly string[]): Promise<string[]>;
  /** Keys of jobs on this server that another server wants to end. */
  unwanted(): Promise<string[]>;
  /** Removes all logs of a content item. */
  removeLogs(contentGuid: string): Promise<void>;
}

export interface JobsOptions {
  readonly directory: string;
  /** Where other servers find logs; null if they share the directory. */
  readonly archives: LogArchives | null;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
}

const KEPT_JOBS = 50;
const HEARTBEAT_MS = 20_000;
/** Milliseconds that shutdown waits for the ends of processes to be recorded. */
const STOP_MS = 5000;
/** Milliseconds that the end of a process waits for its log to be uploaded. */
const STORE_MS = 3000;
/** Microseconds that a session counts as open after its process ended (contract, section 8). */
export const SESSION_GRACE = 15_000_000;

export async function createJobs(options: JobsOptions): Promise<Jobs> {
  const { directory, archives, storage, clock, ids, log } = options;
  const { db } = storage;
  const node = ids.uuid();
  // SQLite means a single server: every open job belongs to one that is gone.
  await storage.write((tx) => endLostJobs(tx, storage.isShared ? 'gone' : 'any', SESSION_GRACE));
  /** Ends that could not be recorded yet: the database may be unreachable, or its disk full. */
  const unrecorded = new Map<string, JobEnd>();
  const recordEnd = async (key: string, end: JobEnd) => {
    unrecorded.set(key, end);
    await endJob(db, key, end);
    unrecorded.delete(key);
  };
  const beat = async () => {
    for (const [key, end] of unrecorded) await recordEnd(key, end);
    if (storage.isShared) await reopenJobs(db, node, [...open.keys()]);
    await heartbeatJobs(db, node, clock.now());
    if (storage.isShared) await storage.write((tx) => endLostJobs(tx, 'gone', SESSION_GRACE));
  };
  const heartbeat = setInterval(() => {
    beat().catch(failureOf('heartbeat of jobs', log));
  }, HEARTBEAT_MS).unref();
  /** Running jobs. */
  const open = new Map<string, PromiseWithResolvers<void>>();
  /** Emits the key of a job that printed or ended. */
  const printed = new EventEmitter().setMaxListeners(0);
  const pathOf = (contentGuid: string, key: string) => join(directory, contentGuid, `${key}.log`);

  async function forgetOld(contentGuid: string): Promise<void> {
    const ended = (await listJobs(db, contentGuid)).filter((row) => row.ended !== null);
    for (const row of ended.slice(KEPT_JOBS)) {
      await removeJob(db, row.key);
      await removeLogFile(pathOf(contentGuid, row.key));
      if (archives) await forgetLog(archives, contentGuid, row.key, pathOf(contentGuid, row.key));
    }
  }

  /** Uploads the log before others learn of the end and read it. If the store is unreachable, it stays here only. */
  async function store(contentGuid: string, key: string): Promise<void> {
    if (archives === null) return;
    const failed = (error: unknown) => log.warn(error, 'storing the log of %s', key);
    const stored = storeLog(archives, contentGuid, key, pathOf(contentGuid, key)).catch(failed);
    await Promise.race([stored, delay(STORE_MS, undefined, { ref: false })]);
  }

  return {
    node,
    async open(subject) {
      const key = ids.taskId();
      const onWritten = () => printed.emit(key);
      const file = createLogFile(pathOf(subject.content_guid, key), { clock, log, onWritten });
      const closed = Promise.withResolvers<void>();
      open.set(key, closed);
      const close = () => {
        open.delete(key);
        closed.resolve();
        printed.emit(key);
      };
      return {
        key,
        write: file.write,
        async begin(pid, restored) {
          const now = clock.now();
          const unended = { ended: null, exit_code: null, outcome: null };
          await insertJob(db, {
            key,
            ...subject,
            pid,
            restored,
            node,
            started: now,
            heartbeat: now,
            ...unended,
          });
        },
        async end({ code, message }) {
          try {
            await file.close();
            const ended = clock.now();
            await store(subject.content_guid, key);
            await recordEnd(key, { ended, exit_code: code, outcome: message });
            await forgetOld(subject.content_guid);
          } finally {
            close();
          }
        },
        async fail() {
          try {
            await file.close();
            const now = clock.now();
            const ended = { ended: now, exit_code: null, outcome: 'could not be launched' };
            const none = { pid: 0, restored: null, node };
            await insertJob(db, { key, ...subject, ...none, started: now, heartbeat: now, ...ended });
            await store(subject.content_guid, key);
            await forgetOld(subject.content_guid);
          } finally {
            close();
          }
        },
      };
    },
    async readLog(contentGuid, key, first) {
      const path = pathOf(contentGuid, key);
      const isElsewhere = archives !== null && !open.has(key) && !existsSync(path);
      if (isElsewhere) await fetchLog(archives, contentGuid, key, path);
      return readLogFile(path, first);
    },
    async nextLine(key, milliseconds, signal) {
      const enough = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(milliseconds))]);
      await once(printed, key, { signal: enough }).catch(() => undefined);
    },
    stopExceptOn: (contentGuid, nodes) => stopJobsExceptOn(db, contentGuid, [node, ...nodes]),
    unwanted: () => unwantedJobs(db, [...open.keys()]),
    async removeLogs(contentGuid) {
      await rm(join(directory, contentGuid), { recursive: true, force: true });
      await archives
        ?.removeAll(contentGuid)
        .catch((error: unknown) => log.warn(error, 'logs of %s', contentGuid));
    },
    /** To be called after all processes have ended: records their ends first. */
    async [Symbol.asyncDispose]() {
      clearInterval(heartbeat);
      const ends = Promise.all([...open.values()].map(({ promise }) => promise));
      await Promise.race([ends, delay(STOP_MS, undefined, { ref: false })]);
    },
  };
}
