// Checks repositories for new commits: periodically if polling is on, and after a push. One of several servers does it.
import { ApiError } from '@pressroom/api/contract';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { failureOf } from '../platform/database/unreachable.ts';
import { messageOf } from '../platform/errors.ts';
import {
  callerOf,
  createRepositoryDeploy,
  isDeploying,
  runRepositoryDeploy,
  takenTree,
  type GitParts,
} from './deploy-commit.ts';
import { dueRepositories, findRepository, noteFetch, rescheduleCheck, type RepositoryRow } from './store.ts';

export interface Polling extends AsyncDisposable {
  /** Checks the repositories that are due; returns the tasks started. Called every few seconds, and after a push. */
  pollDue(): Promise<string[]>;
  /** Does the same without waiting. */
  pollSoon(): void;
}

const LOOK_MS = 5000;
/** Time in which a server must finish its check before another one takes over: longer than its two calls of git. */
const TURN_MS = 60_000;

/** People whose repositories are checked at once. */
const AT_ONCE = 4;

/**
 * Every server polls the database within seconds, so a push need not be announced to others. The repositories of one
 * person are checked one after another: one that does not respond holds up only theirs.
 */
export function createPolling(parts: GitParts & { readonly log: Logger }): Polling {
  const { storage, config, clock, git, log } = parts;
  const { db } = storage;
  const stopping = new AbortController();
  const turn = (2 * config['Git.Timeout'] * 1000 + TURN_MS) * 1000;
  const limit = pLimit(AT_ONCE);
  /** Checks of the repositories of each person, by their GUID. */
  const running = new Map<string, Promise<string[]>>();

  async function look(row: RepositoryRow): Promise<string | null> {
    const { content_guid: guid, look_time: due, polling, fetch_error } = row;
    // The running deploy may be of an older commit: the repository stays due until it has ended.
    if (await isDeploying(db, guid)) return null;
    const until = clock.now() + turn;
    if (!(await rescheduleCheck(db, guid, due, until))) return null;
    const next = () => (polling ? clock.now() + config['Git.PollInterval'] * 1_000_000 : null);
    let failure: string | null = null;
    try {
      const seen = await seenCommit(row);
      if (seen !== null) {
        const set = { last_commit: seen, fetch_error: null, fetched_time: clock.now() };
        await storage.write((tx) => noteFetch(tx, row, set));
        await rescheduleCheck(db, guid, until, next());
        return null;
      }
    } catch (error) {
      // Aborted by a stop: the next server checks again at once.
      if (stopping.signal.aborted) return (await rescheduleCheck(db, guid, until, due), null);
      failure = messageOf(error);
    }
    // Only a new error is reported, as a failed task.
    if (failure !== null && failure === fetch_error) {
      await storage.write((tx) => noteFetch(tx, row, { fetched_time: clock.now() }));
      await rescheduleCheck(db, guid, until, next());
      return null;
    }
    return start(row, until, next());
  }

  /** The newest commit if it was tried, or leaves the directory as it is; null if it is to be deployed. */
  async function seenCommit(row: RepositoryRow): Promise<string | null> {
    const sha = await git.newestCommit(row, stopping.signal);
    if (sha === row.last_commit) return sha;
    const taken = await takenTree(db, row);
    if (taken === null) return null;
    const newest = await git.newestTree(row, stopping.signal);
    return newest.tree === taken ? newest.sha : null;
  }

  async function start(row: RepositoryRow, until: number, next: number | null): Promise<string | null> {
    const { content_guid: guid } = row;
    try {
      const started = await storage.write(async (tx) => {
        const current = await findRepository(tx, guid);
        if (!current) return null;
        const caller = await callerOf(tx, current);
        if (await isDeploying(tx, guid)) return (await rescheduleCheck(tx, guid, until, row.look_time), null);
        const task = await createRepositoryDeploy(parts, tx, caller, guid);
        await rescheduleCheck(tx, guid, until, next);
        return { task, caller };
      });
      if (started === null) return null;
      runRepositoryDeploy(parts, started.task, started.caller, { tried: row.last_commit });
      return started.task.id;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await storage.write((tx) =>
        noteFetch(tx, row, { last_error: error.message, fetched_time: clock.now() }),
      );
      await rescheduleCheck(db, guid, until, next ?? clock.now() + TURN_MS * 1000);
      return null;
    }
  }

  async function lookAtAll(rows: readonly RepositoryRow[]): Promise<string[]> {
    const started: string[] = [];
    for (const row of rows) {
      if (stopping.signal.aborted) break;
      const id = await look(row).catch((error: unknown) => {
        log.error(error, 'repository of content %s', row.content_guid);
        return null;
      });
      if (id !== null) started.push(id);
    }
    return started;
  }

  async function pollDue(): Promise<string[]> {
    if (!config['Applications.GitEnabled']) return [];
    const now = clock.now();
    const latest = now + Math.max(turn, config['Git.PollInterval'] * 1_000_000) + TURN_MS * 1000;
    const due = Map.groupBy(await dueRepositories(db, now, latest), ({ user_guid }) => user_guid);
    const idle = [...due].filter(([person]) => !running.has(person));
    const started = idle.map(([person, rows]) => {
      const looking = limit(() => lookAtAll(rows)).finally(() => running.delete(person));
      running.set(person, looking);
      return looking;
    });
    return (await Promise.all(started)).flat();
  }

  const pollSoon = () => void pollDue().catch(failureOf('repositories', log));
  const looking = setInterval(pollSoon, LOOK_MS).unref();
  return {
    pollDue,
    pollSoon,
    async [Symbol.asyncDispose]() {
      clearInterval(looking);
      stopping.abort();
      await Promise.all(running.values());
    },
  };
}
