// Two servers over one PostgreSQL and one S3 store, behind a round-robin proxy.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import type { ListeningProcess } from '../listening-process.ts';
import { startCluster } from '../postgres-setup.ts';
import { createDatabase } from '../postgres.ts';
import { startServerProcess } from '../server-process.ts';
import { startSwift, type Swift } from '../swift.ts';
import { startRoundRobin } from './round-robin.ts';

export interface Constellation extends AsyncDisposable {
  /** Address of the proxy. */
  readonly url: string;
  readonly servers: readonly ConstellationServer[];
  readonly database: string;
  /** Null if the servers share a directory of bundles. */
  readonly store: Swift | null;
  /** Their shared data directory; null with a store. */
  readonly dataDir: string | null;
}

export interface ConstellationServer {
  readonly url: string;
  readonly pid: number;
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
  /** Starts it again after a stop, at the same address, over the same data. @param env additional variables */
  start(env?: Readonly<Record<string, string>>): Promise<void>;
}

export interface ConstellationOptions {
  /** Whether to use an S3 store; otherwise the servers share a data directory. */
  readonly store: boolean;
  /** Settings of PostgreSQL, such as `fsync=off`. */
  readonly postgres?: readonly string[];
  /** Variables of both servers. */
  readonly env?: Readonly<Record<string, string>>;
  /** Receives log lines of the servers: errors, unless `env` sets another level. */
  readonly log?: (line: string) => void;
  /** Port of the proxy; a free one by default. */
  readonly port?: number;
}

/** Whether the tests' S3 store is installed. */
export const hasStore = (): boolean => existsSync('/usr/bin/swift-proxy-server');

/** @throws if one of them does not start; the others are stopped then. */
export async function startConstellation(options: ConstellationOptions): Promise<Constellation> {
  const { postgres = [], env = {}, log } = options;
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-constellation-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  stack.defer(await startCluster(postgres));
  const database = stack.use(await createDatabase());
  const swift = options.store ? stack.use(await startSwift()) : null;
  const variables: Record<string, string> = {
    TMPDIR: tmpdir(),
    PRESSROOM_DATABASE_URL: database.url,
    PRESSROOM_HTTP_TRUSTPROXY: '127.0.0.1',
    PRESSROOM_HTTP_CONTENTLISTEN: 'off',
    ...(await storageOf(swift)),
    ...env,
  };
  const names = ['server1', 'server2'].map((name) => join(directory, swift ? name : 'shared'));
  const servers: ConstellationServer[] = [];
  // One creates the tables, the other finds them.
  for (const dataDir of names) servers.push(stack.use(await startServer(dataDir, variables, log)));
  const ports = servers.map(({ url }) => Number(new URL(url).port));
  const proxy = stack.use(await startRoundRobin(ports, options.port ?? (await freePort())));
  const opened = stack.move();
  return {
    url: proxy.url,
    servers,
    database: database.url,
    store: swift,
    dataDir: swift ? null : join(directory, 'shared'),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function storageOf(swift: Swift | null): Promise<Record<string, string>> {
  if (!swift) return { PRESSROOM_SECRETS_KEY: randomBytes(32).toString('base64') };
  const { settings } = await swift.bucket();
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      `PRESSROOM_${name.replace('.', '_').toUpperCase()}`,
      String(value),
    ]),
  );
}

async function startServer(
  dataDir: string,
  env: Record<string, string>,
  log?: (line: string) => void,
): Promise<ConstellationServer & AsyncDisposable> {
  await mkdir(dataDir, { recursive: true });
  const listen = `127.0.0.1:${await freePort()}`;
  const address = `127.0.0.1:${await freePort()}`;
  const start = (more: Readonly<Record<string, string>> = {}): Promise<ListeningProcess> =>
    startServerProcess(
      dataDir,
      { ...env, PRESSROOM_HTTP_LISTEN: listen, PRESSROOM_CLUSTER_LISTEN: address, ...more },
      log,
    );
  let running = await start();
  return {
    url: `http://${listen}`,
    get pid() {
      return running.pid;
    },
    stop: (signal) => running.stop(signal),
    async start(more) {
      running = await start(more);
    },
    async [Symbol.asyncDispose]() {
      // What a killed one leaves on this machine, only its next start removes.
      if ((await running.stop('SIGTERM')) === null) running = await start();
      await running.stop('SIGTERM');
    },
  };
}
