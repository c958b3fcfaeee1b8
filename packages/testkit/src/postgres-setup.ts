// Starts a PostgreSQL cluster for a test run on its own port, and stops it at the end.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { CLUSTER_VARIABLE } from './postgres.ts';
import { makeTemplate } from './ready-database.ts';

const VERSIONS = '/usr/lib/postgresql';

/** Tests do not depend on durability. */
const QUICK = [
  'fsync=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'autovacuum=off',
];

/** A global setup of Vitest: returns the teardown. */
export default function setup(): Promise<() => Promise<void>> {
  return startCluster(QUICK);
}

/** @param settings such as `fsync=off` @returns a stop function */
export async function startCluster(settings: readonly string[]): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-postgres-'));
  const owner = clusterOwner();
  if (owner) chownSync(directory, owner.uid, owner.gid);
  const identity = owner ?? {};
  const data = join(directory, 'data');
  const quiet = { stdio: 'ignore', ...identity } as const;
  execFileSync(
    binary('initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    quiet,
  );
  const port = await freePort();
  const reached = [
    'max_connections=400',
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${directory}`,
  ];
  const options = [...settings, ...reached].flatMap((setting) => ['-c', setting]);
  const server = spawn(binary('postgres'), ['-D', data, '-p', String(port), ...options], quiet);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await untilReady(url, server);
  process.env[CLUSTER_VARIABLE] = url;
  await makeTemplate();
  return async () => {
    server.kill('SIGINT');
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    rmSync(directory, { recursive: true, force: true });
  };
}

function binary(name: string): string {
  const newest = readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a))[0];
  if (newest === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  return join(VERSIONS, newest, 'bin', name);
}

/** PostgreSQL refuses to run as root: its own account is used. */
function clusterOwner(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function untilReady(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error('PostgreSQL did not start');
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      // There is no event for "accepts connections": polling is the only way.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
