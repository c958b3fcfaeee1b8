// Covers Server.Processes: several processes that serve one address.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import {
  createDatabase,
  firstAdministrator,
  freePorts,
  publish,
  startServerProcess,
} from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { ASGI, asgi } from '../runtime/python-content.ts';

const PROCESSES = 3;

test('several processes serve one address, and one that is killed is replaced', async () => {
  await using several = await startSeveral();
  const { server, metrics } = several;
  const administrator = await firstAdministrator(() => server.url);
  const api = asgi({ '/': 'answer = STARTED' });
  // All visitors may wait for one process at once.
  const fields = { access_type: 'all', max_processes: 1, max_conns_per_process: 30 };
  const { guid } = await publish(administrator, api, { metadata: ASGI, fields });

  const visits = () => Promise.all(Array.from({ length: 30 }, () => visit(`${server.url}/content/${guid}/`)));
  const responses = await visits();
  expect(responses.map(({ status }) => status)).toEqual(Array(30).fill(200));
  // One process of content, whichever process of the server was asked.
  expect(new Set(responses.map(({ body }) => body)).size).toBe(1);
  expect((await Promise.all(metrics.map(requestsOf))).filter((count) => count > 0).length).toBeGreaterThan(1);
  expect((await administrator.call('GET', '/v1/servers')).body.servers).toHaveLength(1);

  const before = await childrenOf(server.pid);
  expect(before).toHaveLength(PROCESSES);
  // The one that runs the content has its process as a further child.
  const children = await Promise.all(before.map(childrenOf));
  const most = Math.max(...children.map(({ length }) => length));
  process.kill(before[children.findIndex(({ length }) => length === most)]!, 'SIGKILL');
  const replaced = async () => (await childrenOf(server.pid)).filter((pid) => !before.includes(pid)).length;
  await expect.poll(replaced).toBe(1);
  const allRespond = () => Promise.all(metrics.map((url) => fetch(url).then(({ ok }) => ok)));
  await expect.poll(() => allRespond().catch(() => [])).toEqual([true, true, true]);
  const again = await visits();
  expect(again.filter(({ status }) => status !== 200)).toEqual([]);

  await expect(several.startAnother()).rejects.toThrow('ended before it listened');
  expect(await server.stop('SIGTERM')).toBe(0);
  await expect(fetch(server.url)).rejects.toThrow();
});

test('the processes end when the one that started them is killed', async () => {
  await using several = await startSeveral();
  const { server, metrics } = several;
  await server.stop('SIGKILL');
  for (const url of [server.url, ...metrics])
    await expect
      .poll(() =>
        fetch(url).then(
          () => 'responds',
          () => 'gone',
        ),
      )
      .toBe('gone');
});

async function startSeveral() {
  const stack = new AsyncDisposableStack();
  const root = await mkdtemp(join(tmpdir(), 'pressroom-several-'));
  stack.defer(() => rm(root, { recursive: true, force: true, maxRetries: 10 }));
  const database = stack.use(await createDatabase());
  const first = await freePorts(2 + 2 * PROCESSES);
  const at = (port: number) => `127.0.0.1:${port}`;
  const env = {
    PRESSROOM_SERVER_PROCESSES: String(PROCESSES),
    PRESSROOM_DATABASE_URL: database.url,
    PRESSROOM_HTTP_LISTEN: at(first),
    PRESSROOM_CLUSTER_LISTEN: at(first + 2),
    PRESSROOM_METRICS_PROMETHEUSLISTEN: at(first + 2 + PROCESSES),
  };
  const start = () => startServerProcess(join(root, 'data'), env);
  const server = stack.use(await start());
  const metrics = Array.from(
    { length: PROCESSES },
    (_, index) => `http://${at(first + 2 + PROCESSES + index)}/metrics`,
  );
  return { server, metrics, startAnother: start, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** On a connection of its own: the system gives each to one of the processes. */
async function visit(url: string): Promise<{ status: number | undefined; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: string }>();
  request(url, { agent: false }, (response) => {
    text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
  })
    .on('error', reject)
    .end();
  return promise;
}

async function requestsOf(metrics: string): Promise<number> {
  const lines = (await (await fetch(metrics)).text()).split('\n');
  const counts = lines.filter((line) => line.startsWith('pressroom_http_request_duration_seconds_count'));
  return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['--ppid', String(pid), '-o', 'pid=']);
  return stdout.trim().split(/\s+/).map(Number);
}
