// Publishing a 200 MB workspace, compared with `tar cz | curl` and a deploy to the same server.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@pressroom/api/client';
import { deploy } from '@pressroom/api/publish';
import { caller, firstAdministrator, manifestOf, startServerProcess } from '@pressroom/testkit';

const run = promisify(execFile);
const MIB = 2 ** 20;

export async function deployBench(): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), 'pressroom-bench-'));
  const site = join(root, 'site');
  await makeWorkspace(site);
  const server = await startServerProcess(join(root, 'data'));
  const { key } = await firstAdministrator(() => server.url);
  const call = caller(() => server.url, key);
  await using client = createClient({ url: server.url, apiKey: key });
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round += 1) {
    theirs.push(await timed(() => byHand(call, server.url, key, site, round)));
    ours.push(
      await timed(async () => {
        for await (const event of deploy({ client, dir: site, name: `ours-${round}`, record: false })) {
          if (event.type === 'failed') throw new Error(event.error);
        }
      }),
    );
  }
  await server.stop('SIGTERM');
  await rm(root, { recursive: true, force: true });
  const [a, b] = [middle(ours), middle(theirs)];
  return [
    `publish 200 MB / tar cz | curl: ${(a / b).toFixed(2)} (goal <= 0.4; ${a.toFixed(1)} s against ${b.toFixed(1)} s)`,
  ];
}

async function byHand(
  call: ReturnType<typeof caller>,
  url: string,
  key: string,
  site: string,
  round: number,
) {
  const { guid } = (await call('POST', '/v1/content', { body: { name: `by-hand-${round}` } })).body;
  const target = `${url}/__api__/v1/experimental/content/${guid}/upload`;
  const upload = `tar cz -C ${site} . | curl -sf -X POST -H 'Authorization: Key ${key}' --data-binary @- ${target}`;
  await run('sh', ['-c', upload]);
  const { task_id } = (await call('POST', `/v1/content/${guid}/deploy`)).body;
  await call('GET', `/v1/tasks/${task_id}?wait=20`);
}

/** Half text tables, half incompressible bytes, like images, Parquet files and models. */
async function makeWorkspace(site: string): Promise<void> {
  await mkdir(site, { recursive: true });
  const page = { 'index.html': '<h1>bench</h1>' };
  await writeFile(join(site, 'index.html'), page['index.html']);
  await writeFile(join(site, 'manifest.json'), manifestOf({ ...page, 'table.csv': '', 'model.bin': '' }));
  const [table, model] = [await open(join(site, 'table.csv'), 'w'), await open(join(site, 'model.bin'), 'w')];
  let seed = 1;
  const next = () => (seed = (seed * 48_271) % 2_147_483_647);
  for (let i = 0; i < 100; i += 1) {
    let text = '';
    while (text.length < MIB)
      text += `${next() % 100_000},${next() % 1000},category-${next() % 12},${(next() / 7919).toFixed(3)}\n`;
    await table.write(text.slice(0, MIB));
    await model.write(randomBytes(MIB));
  }
  await Promise.all([table.close(), model.close()]);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

function middle(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
