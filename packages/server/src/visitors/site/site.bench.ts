// Compares static content with nginx on the same machine in the same run: `node site.bench.ts`. Requires nginx and wrk.
import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../runtime/pool/free-port.ts';
import { createContentSite } from './content-site.ts';

const NGINX = 'nginx';
const ROUNDS = 5;
const SECONDS = 3;
const PAGE = 'page.html';
const CASES = [
  { name: '5 kB page', path: PAGE, connections: 32, goal: 0.5 },
  { name: '300 kB file', path: 'data.csv', connections: 16, goal: null },
  { name: '10 MB file', path: 'big.bin', connections: 8, goal: 0.9 },
] as const;

const [mode, siteRoot] = process.argv.slice(2);
if (mode === 'serve' && siteRoot !== undefined) serve(siteRoot);
else await bench();

function serve(root: string): void {
  const site = createContentSite();
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    site
      .serve(request, response, { root, version: '1', path, primary: PAGE })
      .catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
}

async function bench(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-site-bench-'));
  const children: ChildProcess[] = [];
  try {
    const root = join(directory, 'root');
    await mkdir(root);
    await writeFile(join(root, PAGE), '<p>'.padEnd(5000, 'pressroom '));
    await writeFile(join(root, 'data.csv'), Buffer.alloc(300_000, 'a,b,c\n'));
    await writeFile(join(root, 'big.bin'), Buffer.alloc(10_000_000, 'pressroom'));
    const nginx = await startNginx(directory, root, children);
    const own = await startOwn(root, children);
    for (const { name, path, connections, goal } of CASES) {
      const ratios: number[] = [];
      const rates: [number, number][] = [];
      for (let round = 0; round < ROUNDS; round++) {
        // Alternating, so that other load affects both.
        const theirs = await requestsPerSecond(`${nginx}/${path}`, connections);
        const ours = await requestsPerSecond(`${own}/${path}`, connections);
        ratios.push(ours / theirs);
        rates.push([ours, theirs]);
      }
      const middle = ratios.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
      const shown = rates.map(([ours, theirs]) => `${ours.toFixed(0)}/${theirs.toFixed(0)}`).join(' ');
      console.log(
        `${name}: ${middle.toFixed(2)} of nginx${goal === null ? '' : ` (goal ${goal})`}; rates ${shown}`,
      );
    }
    const status = await readFile(`/proc/${children.at(-1)?.pid}/status`, 'utf8');
    console.log(`resident at most: ${/VmHWM:\s*(.*)/.exec(status)?.[1]}`);
  } finally {
    for (const child of children) {
      const closed = once(child, 'exit');
      child.kill('SIGTERM');
      await closed;
    }
    await rm(directory, { recursive: true });
  }
}

async function startOwn(root: string, children: ChildProcess[]): Promise<string> {
  const child = spawn(process.execPath, [import.meta.filename, 'serve', root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return `http://127.0.0.1:${Number(line)}`;
}

/** Configured as in Debian: one worker per core, sendfile, tcp_nopush. No access log, as ours has none here. */
async function startNginx(directory: string, root: string, children: ChildProcess[]): Promise<string> {
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = temporary.map((name) => `${name}_temp_path ${directory}/${name};`).join(' ');
  const config = `
    worker_processes auto; daemon off; pid ${directory}/nginx.pid; error_log ${directory}/error.log;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    events { worker_connections 512; }
    http {
      include /etc/nginx/mime.types; sendfile on; tcp_nopush on; access_log off; keepalive_requests 1000000; ${paths}
      server { listen 127.0.0.1:${port}; root ${root}; }
    }`;
  const file = join(directory, 'nginx.conf');
  await writeFile(file, config);
  const child = spawn(NGINX, ['-c', file, '-e', join(directory, 'error.log')], { stdio: 'inherit' });
  children.push(child);
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    const response = await fetch(`${url}/${PAGE}`).catch(() => null);
    if (response?.ok) return url;
    if (tries === 100)
      throw new Error(`nginx does not respond: ${await readFile(join(directory, 'error.log'), 'utf8')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function requestsPerSecond(url: string, connections: number): Promise<number> {
  const { stdout } = await promisify(execFile)('wrk', ['-t1', `-c${connections}`, `-d${SECONDS}`, url]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
  return Number(/Requests\/sec:\s*([\d.]+)/.exec(stdout)?.[1]);
}
