// Looks for new commits: where polling is on again and again, and after a push. Of several servers one looks.
import { ApiError } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import { messageOf } from '../platform/errors.ts';
import {
  callerOf,
  createRepositoryDeploy,
  isDeploying,
  runRepositoryDeploy,
  type GitParts,
} from './deploy-commit.ts';
import {
  dueRepositories,
  findRepository,
  moveLook,
  updateRepositoryRow,
  type RepositoryRow,
} from './store.ts';

export interface Polling extends AsyncDisposable {
  /** Looks where it is time to; answers the tasks that were started. Called every few seconds, and after a push. */
  pollDue(): Promise<string[]>;
  /** The same, for who does not wait. */
  pollSoon(): void;
}

const LOOK_MS = 5000;
/** How long one server has to look before another one does: longer than any fetch. */
const TURN_MS = 60_000;

/** A push is seen within seconds on any server, so telling the others is not needed. */
export function createPolling(parts: GitParts & { readonly log: Logger }): Polling {
  const { storage, config, clock, git, log } = parts;
  const { db } = storage;
  const stopping = new AbortController();
  let running: Promise<string[]> = Promise.resolve([]);

  async function look(row: RepositoryRow): Promise<string | null> {
    const { content_guid: guid, look_time: due, polling, last_commit, last_error } = row;
    // What is being deployed now may be older: it stays due until that has ended.
    if (await isDeploying(db, guid)) return null;
    const until = clock.now() + (config['Git.Timeout'] * 1000 + TURN_MS) * 1000;
    if (!(await moveLook(db, guid, due, until))) return null;
    const next = () => (polling ? clock.now() + config['Git.PollInterval'] * 1_000_000 : null);
    let failure: string | null = null;
    try {
      const sha = await git.newestCommit(row, stopping.signal);
      if (sha === last_commit) {
        await storage.write((tx) => updateRepositoryRow(tx, guid, { fetched_time: clock.now() }));
        await moveLook(db, guid, until, next());
        return null;
      }
    } catch (error) {
      // Stopped: another server, or this one when it is back, looks again at once.
      if (stopping.signal.aborted) return (await moveLook(db, guid, until, due), null);
      failure = messageOf(error);
    }
    // The same failure again is no news; a new one is told as a task that fails by it.
    if (failure !== null && failure === last_error) {
      await storage.write((tx) => updateRepositoryRow(tx, guid, { fetched_time: clock.now() }));
      await moveLook(db, guid, until, next());
      return null;
    }
    return start(row, until, next());
  }

  async function start(row: RepositoryRow, until: number, next: number | null): Promise<string | null> {
    const { content_guid: guid } = row;
    try {
      const started = await storage.write(async (tx) => {
        const current = await findRepository(tx, guid);
        if (!current) return null;
        const caller = await callerOf(tx, current);
        if (await isDeploying(tx, guid)) return (await moveLook(tx, guid, until, row.look_time), null);
        const task = await createRepositoryDeploy(parts, tx, caller, guid);
        await moveLook(tx, guid, until, next);
        return { task, caller };
      });
      if (started === null) return null;
      runRepositoryDeploy(parts, started.task, started.caller);
      return started.task.id;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await storage.write((tx) =>
        updateRepositoryRow(tx, guid, { last_error: error.message, fetched_time: clock.now() }),
      );
      await moveLook(db, guid, until, next ?? clock.now() + TURN_MS * 1000);
      return null;
    }
  }

  async function work(): Promise<string[]> {
    const started: string[] = [];
    if (!config['Applications.GitEnabled']) return started;
    for (const row of await dueRepositories(db, clock.now())) {
      if (stopping.signal.aborted) break;
      const id = await look(row).catch((error: unknown) => {
        log.error(error, 'repository of content %s', row.content_guid);
        return null;
      });
      if (id !== null) started.push(id);
    }
    return started;
  }

  const pollDue = () => (running = running.catch(() => []).then(work));
  const pollSoon = () => void pollDue().catch((error: unknown) => log.error(error, 'repositories'));
  const looking = setInterval(pollSoon, LOOK_MS).unref();
  return {
    pollDue,
    pollSoon,
    async [Symbol.asyncDispose]() {
      clearInterval(looking);
      stopping.abort();
      await running.catch(() => undefined);
    },
  };
}
