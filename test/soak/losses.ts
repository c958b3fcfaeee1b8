// Losses of a constellation: a server, its database, its S3 store, its container engine.
import { setTimeout as delay } from 'node:timers/promises';
import { pauseProcesses, startConstellation, type Constellation } from '@pressroom/testkit';
import { sql } from 'kysely';
import { openStorage } from '../../packages/server/src/platform/database/storage.ts';
import { openOwnEngine } from '../container/engine.ts';
import { pythonImage } from '../processes/container-images.ts';

export type Loss = 'kill -9' | 'pause' | 'SIGTERM' | 'database' | 'silent store' | 'refused store' | 'engine';
/** Its parts: two servers with a shared directory, or with a store and an engine. */
export type Parts = 'servers and database' | 'store and engine';

export interface Losable extends AsyncDisposable {
  readonly constellation: Constellation;
  readonly losses: readonly Loss[];
  /** @param server index of the server; @param over called when the load may end. Resolves when everything is back. */
  lose(loss: Loss, server: number, over: () => void): Promise<void>;
  /** The error of deploys that fail through it; null if none may. */
  mayFail(loss: Loss): RegExp | null;
}

/** Longer than a server may be without a heartbeat. */
const PAUSE_MS = 30_000;
const GONE_MS = 10_000;
const IMAGE = 'pressroom-soak-python:3.11';

/** Prints unexpected task failures. */
function log(line: string): void {
  if (/"msg":"task \w+ failed"/.test(line)) console.error(line);
}

export function openLosable(parts: Parts): Promise<Losable> {
  return parts === 'store and engine' ? withStoreAndEngine() : withServers();
}

async function withServers(): Promise<Losable> {
  const constellation = await startConstellation({ store: false, log });
  return {
    constellation,
    losses: ['kill -9', 'pause', 'SIGTERM', 'database'],
    async lose(loss, at, over) {
      const server = constellation.servers[at]!;
      if (loss === 'database') await crash(constellation.database);
      else if (loss === 'pause') await pause(server.pid);
      else {
        await server.stop(loss === 'kill -9' ? 'SIGKILL' : 'SIGTERM');
        await server.start();
      }
      over();
    },
    mayFail: (loss) => (loss === 'database' ? /database/ : null),
    [Symbol.asyncDispose]: () => constellation[Symbol.asyncDispose](),
  };
}

async function withStoreAndEngine(): Promise<Losable> {
  await using stack = new AsyncDisposableStack();
  const engine = stack.use(await openOwnEngine());
  pythonImage(engine.host, IMAGE);
  const env = {
    PRESSROOM_APPLICATIONS_EXECUTOR: 'docker',
    PRESSROOM_DOCKER_HOST: engine.host,
    PRESSROOM_DOCKER_IMAGES: IMAGE,
    // For installing packages; this engine has no bridge.
    PRESSROOM_DOCKER_NETWORK: 'host',
    PRESSROOM_APPLICATIONS_NETWORKACCESS: 'false',
  };
  const constellation = stack.use(await startConstellation({ store: true, env, log }));
  const opened = stack.move();
  return {
    constellation,
    losses: ['silent store', 'engine', 'refused store'],
    async lose(loss, _at, over) {
      if (loss === 'engine') {
        await engine.stop('SIGKILL');
        await delay(GONE_MS);
        await engine.start();
      } else await constellation.store!.lose(loss === 'silent store' ? 'silent' : 'refused', GONE_MS);
      over();
    },
    mayFail: (loss) => (loss === 'engine' ? /container engine/ : /store/),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function pause(pid: number): Promise<void> {
  using _ = pauseProcesses(pid);
  await delay(PAUSE_MS);
}

/** PostgreSQL closes all connections and recovers if one of its processes is killed. */
async function crash(database: string): Promise<void> {
  await using storage = await openStorage(database);
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid() and datname = current_database()`.execute(
    storage.db,
  );
  process.kill(rows[0]!.pid, 'SIGKILL');
}
