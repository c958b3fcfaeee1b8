// Static content through the whole server, including access checks and visits, compared with nginx serving the same
// files.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  caller,
  createDatabase,
  firstAdministrator,
  freePort,
  freePorts,
  makeArchive,
  startListening,
  startServerProcess,
} from '@pressroom/testkit';
import { type Engine, requestsPerSecond } from './api.bench.ts';

const ROUNDS = 3;
const FILES = {
  'index.html': '<p>'.padEnd(5000, 'pressroom '),
  'big.bin': Buffer.alloc(10_000_000, 'pressroom'),
};

export async function siteBench(engine: Engine): Promise<string[]> {
  const alone = await siteOf(engine, 1);
  return engine === 'sqlite' ? alone : [...alone, ...(await siteOf(engine, availableParallelism()))];
}

async function siteOf(engine: Engine, processes: number): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), 'pressroom-site-'));
  await using database = engine === 'postgres' ? await createDatabase() : null;
  const server = await startServerProcess(join(root, 'data'), {
    ...(database && { PRESSROOM_DATABASE_URL: database.url }),
    ...(processes > 1 && {
      PRESSROOM_SERVER_PROCESSES: String(processes),
      PRESSROOM_HTTP_LISTEN: `127.0.0.1:${await freePort()}`,
      PRESSROOM_CLUSTER_LISTEN: `127.0.0.1:${await freePorts(processes)}`,
    }),
  });
  const { key } = await firstAdministrator(() => server.url);
  const call = caller(() => server.url, key);
  const { guid } = (await call('POST', '/v1/content', { body: { name: 'bench', access_type: 'all' } })).body;
  await call('POST', `/v1/content/${guid}/bundles`, { raw: makeArchive(FILES) });
  const { task_id } = (await call('POST', `/v1/content/${guid}/deploy`)).body;
  await call('GET', `/v1/tasks/${task_id}?wait=20`);
  const nginx = await startNginx(root);
  const lines: string[] = [];
  for (const [name, file, goal] of [
    ['5 kB page', 'index.html', 0.5],
    ['10 MB file', 'big.bin', 0.9],
  ] as const) {
    await using bare = await startListening(join(import.meta.dirname, 'bare-page.ts'), {
      BARE_PAGE: join(root, 'nginx', file),
    });
    const [ratios, floors]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      const theirs = await requestsPerSecond(`${nginx.url}/${file}`, null);
      const ours = await requestsPerSecond(`${server.url}/content/${guid}/${file}`, null);
      ratios.push(ours / theirs);
      floors.push((await requestsPerSecond(bare.url, null)) / theirs);
    }
    const [middle, floor] = [ratios, floors].map((all) => all.sort((a, b) => a - b)[1]!.toFixed(2));
    lines.push(
      `static GETs a second / nginx, ${name}, access checks on, ${engine}${processes > 1 ? `, ${processes} processes` : ''}: ${middle} (goal >= ${goal}; bare Node.js ${floor})`,
    );
  }
  await nginx.stop();
  await server.stop('SIGTERM');
  await rm(root, { recursive: true, force: true });
  return lines;
}

async function startNginx(root: string) {
  const site = join(root, 'nginx');
  await mkdir(site);
  for (const [name, content] of Object.entries(FILES)) await writeFile(join(site, name), content);
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  const config = `user root; daemon off; worker_processes auto; pid ${root}/nginx.pid; error_log ${root}/nginx.log;
events { worker_connections 512; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;
server { listen 127.0.0.1:${port}; root ${site}; types { text/html html; } } }`;
  await writeFile(join(root, 'nginx.conf'), config);
  const child = spawn('nginx', ['-c', join(root, 'nginx.conf')], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  // nginx does not report when it listens.
  while (!(await fetch(url).catch(() => null))) await new Promise((resolve) => setTimeout(resolve, 50));
  const stop = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  };
  return { url, stop };
}
