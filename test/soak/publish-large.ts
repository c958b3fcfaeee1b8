// Publishes large directories with the command line to a server process; measures memory, and what a cancelled upload
// leaves.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { caller, firstAdministrator, startServerProcess, type Call } from '@pressroom/testkit';

export interface LargeReport {
  /** Peak resident memory in MiB. */
  readonly client: number;
  readonly server: number;
  readonly seconds: number;
  readonly progressLines: number;
  readonly faults: string[];
}

const CLI = join(import.meta.dirname, '../../packages/cli/src/main.ts');
const MEMORY_LIMIT = 300;
const MIB = 2 ** 20;
/** Milliseconds until nothing is left of a cancelled upload. */
const TIDY_MS = 30_000;

/** @param scale reduces the sizes: 1 is the full run. */
export async function publishLarge(
  shape: 'one of 2 GiB' | '50,000 small files',
  scale = 1,
): Promise<LargeReport> {
  const root = await mkdtemp(join(tmpdir(), 'pressroom-large-'));
  const [site, dataDir] = [join(root, 'site'), join(root, 'data')];
  const faults: string[] = [];
  await using cleanup = { [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
  void cleanup;
  await mkdir(site);
  await writeFile(join(site, 'index.html'), '<h1>large</h1>');
  if (shape === 'one of 2 GiB') await fill(join(site, 'data.bin'), Math.round(2048 * scale));
  else await scatter(site, Math.round(50_000 * scale));

  const server = await startServerProcess(dataDir);
  const { key } = await firstAdministrator(() => server.url);
  const call = caller(() => server.url, key);
  const started = Date.now();
  const whole = await publish(site, server.url, key, server.pid);
  const seconds = (Date.now() - started) / 1000;
  if (whole.code !== 0)
    faults.push(`pressroom deploy ended with ${whole.code}: ${whole.lines.slice(-3).join(' | ')}`);
  if (whole.client > MEMORY_LIMIT) faults.push(`the client took ${whole.client} MiB`);
  if (whole.server > MEMORY_LIMIT) faults.push(`the server took ${whole.server} MiB`);
  await rm(join(site, '.pressroom'), { recursive: true, force: true });

  for (const share of [0.05, 0.3, 0.7]) {
    const before = await traces(call, dataDir);
    await publish(site, server.url, key, server.pid, whole.lines.length * share);
    // The server notices the end of the connection after the command has ended.
    let after = await traces(call, dataDir);
    for (const until = Date.now() + TIDY_MS; after !== before && Date.now() < until;)
      after = await traces(call, dataDir);
    if (after !== before) faults.push(`cancelled after ${share} of the lines: ${before} became ${after}`);
  }
  await server.stop('SIGTERM');
  const { client, server: serverPeak } = whole;
  return { client, server: serverPeak, seconds, progressLines: whole.lines.length, faults };
}

async function fill(file: string, mebibytes: number): Promise<void> {
  const handle = await open(file, 'w');
  // Text that compresses like tables.
  for (let i = 0; i < mebibytes; i += 1) {
    const row = Array.from({ length: 64 }, (_, j) => ((i * 7919 + j * 104_729) % 99_991) / 7).join(',');
    await handle.write(Buffer.alloc(MIB, `${row}\n`));
  }
  await handle.close();
}

async function scatter(directory: string, files: number): Promise<void> {
  for (let i = 0; i < files; i += 500) {
    const folder = join(directory, `part${i / 500}`);
    await mkdir(folder);
    const names = Array.from({ length: Math.min(500, files - i) }, (_, j) => `file${j}.txt`);
    await Promise.all(names.map((name) => writeFile(join(folder, name), `${i} ${name}\n`)));
  }
}

/** @param cancelAt lines of output before Ctrl-C. */
async function publish(dir: string, url: string, key: string, serverPid: number, cancelAt = Infinity) {
  const child = spawn(process.execPath, [CLI, 'deploy', dir, '--json'], {
    env: { PATH: process.env.PATH ?? '', CONNECT_SERVER: url, CONNECT_API_KEY: key, HOME: dir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  let [client, server] = [0, 0];
  let cancelled = false;
  const onText = (text: Buffer) => {
    lines.push(
      ...text
        .toString()
        .split('\n')
        .filter((line) => line !== ''),
    );
    if (lines.length < cancelAt || cancelled) return;
    // Only once: a second Ctrl-C exits without cleaning up.
    cancelled = true;
    child.kill('SIGINT');
  };
  child.stdout.on('data', onText);
  child.stderr.on('data', onText);
  const watch = setInterval(() => {
    void peak(child.pid!).then((value) => (client = Math.max(client, value)));
    void peak(serverPid).then((value) => (server = Math.max(server, value)));
  }, 100);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(watch);
  return { code, lines, client, server: Math.max(server, await peak(serverPid)) };
}

/** Peak resident memory of a process in MiB; 0 if it has ended. */
async function peak(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** What a publish leaves on the server, in one line. */
async function traces(call: Call, dataDir: string): Promise<string> {
  const contents: unknown[] = (await call('GET', '/v1/content')).body;
  const files = (await readdir(join(dataDir, 'bundles'))).sort().join(' ');
  return `${contents.length} contents, bundles ${files}`;
}
