// Covers which restored packages are kept: those of active content and of processes, on all servers.
import { once } from 'node:events';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@pressroom/server';
import {
  publish,
  startTestServer,
  testLog,
  type Person,
  type Published,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { makeWheel } from '../../packages/server/src/runtime/restore/testing.ts';
import { ASGI, asgi } from '../runtime/python-content.ts';

let packages: string;
beforeAll(async () => {
  packages = await mkdtemp(join(tmpdir(), 'pressroom-eviction-'));
  for (const name of ['alpha', 'beta', 'gamma']) await makeWheel(packages, name, '1.0');
});
afterAll(() => rm(packages, { recursive: true, force: true }));

const startServerWithPackages = () =>
  startTestServer({
    settings: { 'Python.FindLinks': join(packages, 'wheels'), 'Client.ReconnectTimeout': 0 },
  });

const application = (name: string) => ({
  ...asgi({ '/': `import ${name}; answer = ${name}.VERSION` }),
  'requirements.txt': `${name}\n`,
});
const notebook = (name: string) => ({
  'report.ipynb': JSON.stringify({
    cells: [
      { cell_type: 'code', source: `import ${name}`, metadata: {}, outputs: [], execution_count: null },
    ],
    metadata: { kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } },
    nbformat: 4,
    nbformat_minor: 4,
  }),
  'requirements.txt': `${name}\n`,
});

/** Returns the environments by the package that they contain. */
async function environments({ dataDir }: TestServer): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const path of await readdir(join(dataDir, 'environments/Python'), { recursive: true })) {
    const name = /^[^/]+\/[^/]+(?=\/venv\/.*\/(alpha|beta|gamma)\.py$)/.exec(path);
    if (name) found.set(name[1]!, join(dataDir, 'environments/Python', name[0]));
  }
  return found;
}

/** As if none had been used for years. */
async function age(server: TestServer): Promise<void> {
  for (const path of (await environments(server)).values()) await utimes(path, 1_500_000_000, 1_500_000_000);
}

const names = async (server: TestServer) => [...(await environments(server)).keys()].toSorted();

if (process.env.PRESSROOM_TEST_ENGINE === 'postgres') {
  test('packages of an open session on another server remain after the deploy was replaced', async () => {
    await using server = await startServerWithPackages();
    const owner = await server.person('publisher');
    const app = await publish(owner, application('alpha'), { metadata: ASGI });
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/content/${app.guid}/`);
    await once(socket, 'open');
    await publish(owner, application('beta'), { metadata: ASGI, guid: app.guid });
    await publish(owner, application('gamma'), { metadata: ASGI, guid: app.guid });
    const look = async () => {
      await age(server);
      const second = await startServer({ config: server.running.services.config, log: testLog() });
      await second[Symbol.asyncDispose]();
      return names(server);
    };
    // Each look starts a server: not before it has something to remove.
    const running = async () => {
      const jobs = (await owner.call('GET', `/v1/content/${app.guid}/jobs`)).body;
      return jobs.filter(({ status }: { status: number }) => status === 0).length;
    };
    await expect.poll(running).toBe(2);
    await expect.poll(look).toEqual(['alpha', 'gamma']);
    socket.terminate();
    await expect.poll(running).toBe(1);
    await expect.poll(look).toEqual(['gamma']);
  });
} else {
  test('startup keeps the packages of active content, and removes those of earlier deploys', async () => {
    await using server = await startServerWithPackages();
    const owner = await server.person('publisher');
    const app = await publish(owner, application('alpha'), { metadata: ASGI });
    await publish(owner, application('beta'), { metadata: ASGI, guid: app.guid });
    const metadata = { appmode: 'jupyter-static', entrypoint: 'report.ipynb' };
    expect((await publish(owner, notebook('gamma'), { metadata })).task).toMatchObject({ code: 0 });
    await age(server);
    await server.restart();
    await expect.poll(() => names(server)).toEqual(['beta', 'gamma']);
    expect((await server.anonymous('GET', app.path)).body).toBe('1.0');
    // The environment was in use until the deletion, so it counts as just used.
    await owner.call('DELETE', `/v1/content/${app.guid}`);
    await server.restart();
    // The second restart waits for the eviction that the first one began.
    await server.restart();
    expect(await names(server)).toEqual(['beta', 'gamma']);
  });

  describe('Packages of an application that were deleted', () => {
    let server: TestServer;
    let owner: Person;
    let app: Published;
    beforeAll(async () => {
      server = await startServerWithPackages();
      owner = await server.person('publisher');
      app = await publish(owner, application('alpha'), { metadata: ASGI });
    });
    afterAll(() => server[Symbol.asyncDispose]());

    test('are restored by its next process', async () => {
      await server.restart();
      await rm(join(server.dataDir, 'environments/Python'), { recursive: true });
      expect((await server.anonymous('GET', app.path)).body).toBe('1.0');
      const [path] = (await environments(server)).values();
      const content = await server.running.services.storage.db.selectFrom('content').selectAll().execute();
      expect(content[0]!.launch).toContain(path);
    });

    test('are reported in the process log if they cannot be restored', async () => {
      await server.restart({ 'Python.FindLinks': join(packages, 'nowhere') });
      await rm(join(server.dataDir, 'environments/Python'), { recursive: true });
      expect((await server.anonymous('GET', app.path)).status).toBe(502);
      const jobs = `/v1/content/${app.guid}/jobs`;
      const failed = async () =>
        (await owner.call('GET', jobs)).body.find((job: { outcome: string }) => /launched/.test(job.outcome));
      await expect.poll(failed).toMatchObject({ outcome: 'could not be launched', exit_code: null });
      const log = (await owner.call('GET', `${jobs}/${(await failed()).key}/log`)).body;
      const lines = log.entries.map(({ data }: { data: string }) => data);
      expect(lines.at(-1)).toMatch(/^Could not be launched: the Python packages do not install: /);
    });
  });
}
