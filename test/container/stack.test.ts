// stack.yaml on a Swarm of one node, with two servers on it: deployed, published to through either, and updated under load.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createDatabase, firstAdministrator, publish, startSwift, type Person } from '@pressroom/testkit';
import { startCluster } from '@pressroom/testkit/postgres-setup';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hasStore } from '../../packages/testkit/src/constellation/start-constellation.ts';
import { ASGI, asgi } from '../runtime/python-content.ts';
import { visit } from '../runtime/shiny-client.ts';
import { buildImage } from './base-images.ts';
import { DOCKER, openOwnEngine, whyNoOwnEngine, type OwnEngine } from './engine.ts';

const whyNot = whyNoOwnEngine() ?? (hasStore() ? null : 'no S3 store: npm run setup');
const title = whyNot === null ? 'stack.yaml' : `stack.yaml (skipped: ${whyNot})`;

const IMAGE = 'pressroom-test-stack';
const SERVICE = 'test_server';
/** This machine, as containers of the Swarm reach it. */
const MACHINE = '10.211.0.1';
/** What one node needs for two servers, and less waiting. Port 0 is any free one. */
const ONE_NODE = {
  version: '3.9',
  services: {
    server: {
      hostname: 'server{{.Task.Slot}}',
      environment: { PRESSROOM_HTTP_DRAINDELAY: '3' },
      healthcheck: { interval: '1s' },
      deploy: {
        placement: { max_replicas_per_node: 2 },
        update_config: { delay: '3s', monitor: '3s' },
        rollback_config: { delay: '3s', monitor: '3s' },
      },
    },
  },
  volumes: { data: { name: 'data{{.Task.Slot}}' } },
};
const WHO = asgi({ '/': 'import socket; answer = socket.gethostname()' });
const SHINY = `
library(shiny)
shinyApp(textOutput("out"), function(input, output) output$out <- renderText(paste(Sys.info()[["nodename"]], Sys.getpid())))
`;

describe.skipIf(whyNot !== null)(title, () => {
  const stack = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-stack-'));
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  let engine: OwnEngine;
  let settings: string;
  let servers: Servers;
  let administrator: Person;

  beforeAll(async () => {
    engine = stack.use(await openOwnEngine());
    await buildImage(engine, IMAGE);
    stack.use(await startSwarm(engine));
    settings = await sharedState(stack);
    copyFileSync(join(import.meta.dirname, '../../stack.yaml'), join(directory, 'stack.yaml'));
    writeFileSync(join(directory, 'one-node.json'), JSON.stringify(ONE_NODE));
    await deploy(settings);
    servers = stack.use(watchServers(engine));
    await vi.waitUntil(() => servers.ready.length === 2, { timeout: 120_000 });
    administrator = await firstAdministrator(servers.next);
  });
  afterAll(() => stack.disposeAsync());

  /** As docs/operate/many-servers.md says. */
  async function deploy(text: string): Promise<void> {
    writeFileSync(join(directory, 'pressroom.toml'), text, { mode: 0o600 });
    const files = ['stack.yaml', 'one-node.json'].flatMap((name) => ['-c', join(directory, name)]);
    const env = {
      ...process.env,
      DOCKER_HOST: engine.host,
      PRESSROOM_SETTINGS: createHash('sha256').update(text).digest('hex').slice(0, 16),
      PRESSROOM_IMAGE: IMAGE,
      PRESSROOM_PORT: '0',
    };
    await promisify(execFile)(DOCKER, ['stack', 'deploy', '--resolve-image=never', ...files, 'test'], {
      env,
    });
  }

  test('runs content on both servers, and reaches it from both', async () => {
    const api = await publish(administrator, WHO, { metadata: ASGI });
    expect(api.task).toMatchObject({ code: 0 });
    const names = await Promise.all(
      servers.ready.map(async (url) => (await fetch(`${url}${api.path.slice(1)}`)).json()),
    );
    expect(new Set(names)).toEqual(new Set(['server1', 'server2']));
    const app = await publish(administrator, { 'app.R': SHINY }, { metadata: { appmode: 'shiny' } });
    expect(app.task).toMatchObject({ code: 0 });
    const processes = new Set<unknown>();
    for (const url of servers.ready) {
      const visitor = await visit(`${url}${app.path.slice(1)}`);
      if (visitor.socket === null) throw new Error(visitor.page);
      processes.add((await visitor.until(({ out }) => out !== undefined)).out);
      visitor.socket.terminate();
    }
    expect(processes.size).toBe(1);
  });

  test('content cannot read the settings', async () => {
    const code = `
try: answer = open("/run/secrets/pressroom.toml").read()
except OSError as error: answer = type(error).__name__`;
    const { path } = await publish(administrator, asgi({ '/': code }), { metadata: ASGI });
    expect((await administrator.call('GET', path)).body).toBe('PermissionError');
  });

  test('updates without a failed request', async () => {
    const before = await servers.containers();
    const { path, guid } = await publish(administrator, WHO, { metadata: ASGI });
    const statuses = await underLoad(
      [
        () => administrator.call('GET', path),
        () => administrator.call('POST', path, { raw: Buffer.alloc(10_000) }),
        () => administrator.call('PATCH', `/v1/content/${guid}`, { body: { description: 'again' } }),
      ],
      () => engine.run('service', 'update', '--force', '--no-resolve-image', SERVICE),
    );
    expect(statuses).toEqual(new Set([200]));
    const after = await servers.containers();
    expect(new Set([...before, ...after]).size).toBe(4);
  });

  test('rolls back when the first server does not start with new settings', async () => {
    const before = await servers.containers();
    const state = () => engine.run('service', 'inspect', SERVICE, '--format', '{{.UpdateStatus.State}}');
    const statuses = await underLoad([() => administrator.call('GET', '/v1/user')], async () => {
      await deploy(`${settings}\n[HTTP]\nLisen = ":80"\n`);
      // Servers start several times meanwhile.
      await expect.poll(state, { timeout: 180_000 }).toBe('rollback_completed');
    });
    expect(statuses).toEqual(new Set([200]));
    // The other server was not touched.
    expect((await servers.containers()).filter((id) => before.includes(id))).toHaveLength(1);
  }, 240_000);
});

/** A Swarm of one node, in networks of its own. */
async function startSwarm(engine: OwnEngine): Promise<AsyncDisposable> {
  // By this name the Swarm finds the bridge over which containers reach what is outside.
  const bridge = ['--opt=com.docker.network.bridge.name=docker_gwbridge', 'docker_gwbridge'];
  await engine.run('network', 'create', `--subnet=${MACHINE}/24`, `--gateway=${MACHINE}`, ...bridge);
  const local = ['--listen-addr=127.0.0.1', '--advertise-addr=127.0.0.1'];
  await engine.run('swarm', 'init', ...local, '--default-addr-pool=10.212.0.0/16');
  return {
    async [Symbol.asyncDispose]() {
      await engine.run('swarm', 'leave', '--force');
      await engine.run('network', 'rm', 'docker_gwbridge');
    },
  };
}

/** PostgreSQL and an S3 store of this machine, as containers reach them: the settings. */
async function sharedState(stack: AsyncDisposableStack): Promise<string> {
  stack.defer(await startCluster(['fsync=off']));
  const database = stack.use(await createDatabase());
  const store = stack.use(await startSwift());
  const { settings } = await store.bucket();
  const url = new URL(database.url);
  url.host = await forward(MACHINE, Number(url.port), stack);
  const endpoint = await forward(MACHINE, Number(new URL(store.endpoint).port), stack);
  const all = { ...settings, 'Database.URL': url.href, 'Storage.Endpoint': `http://${endpoint}` };
  const sections = Object.groupBy(Object.entries(all), ([name]) => name.split('.')[0]!);
  return Object.entries(sections)
    .map(([section, entries = []]) => {
      const lines = entries.map(([name, value]) => `${name.split('.')[1]} = ${JSON.stringify(value)}`);
      return `[${section}]\n${lines.join('\n')}\n`;
    })
    .join('');
}

/** Makes a loopback port reachable at an address; returns host and port. */
async function forward(address: string, port: number, stack: AsyncDisposableStack): Promise<string> {
  const server = createServer((socket) => {
    const there = connect(port, '127.0.0.1');
    socket.pipe(there).pipe(socket);
    socket.on('error', () => there.destroy());
    there.on('error', () => socket.destroy());
  });
  stack.defer(() => void server.close());
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(0, address, resolve);
  await promise;
  return `${address}:${(server.address() as { port: number }).port}`;
}

interface Servers extends AsyncDisposable {
  /** Addresses of those that are ready. */
  readonly ready: readonly string[];
  /** The next one of them. */
  next(): string;
  containers(): Promise<string[]>;
}

/** As a proxy that asks servers whether they are ready, several times a second. */
function watchServers(engine: OwnEngine): Servers {
  const ps = (format: string) =>
    engine.run('ps', `--filter=label=com.docker.swarm.service.name=${SERVICE}`, `--format=${format}`);
  let ready: string[] = [];
  let turn = 0;
  let isOver = false;
  const isReady = (url: string) =>
    fetch(`${url}/__health__/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  async function look(): Promise<void> {
    while (!isOver) {
      const ports = (await ps('{{.Ports}}')).matchAll(/0\.0\.0\.0:(\d+)->3939/g);
      const urls = [...ports].map(([, port]) => `http://127.0.0.1:${port}`);
      const responses = await Promise.all(urls.map(isReady));
      ready = urls.filter((_, index) => responses[index]);
      await delay(200);
    }
  }
  const looking = look();
  return {
    get ready() {
      return ready;
    },
    next: () => ready[turn++ % ready.length] ?? 'http://127.0.0.1:9',
    containers: async () => (await ps('{{.ID}}')).split('\n'),
    async [Symbol.asyncDispose]() {
      isOver = true;
      await looking;
    },
  };
}

/** Repeats all requests while something happens: the statuses and errors that were answered. */
async function underLoad(
  requests: readonly (() => Promise<{ status: number }>)[],
  happen: () => Promise<unknown>,
): Promise<Set<number | string>> {
  const seen = new Set<number | string>();
  let isOver = false;
  const repeating = requests.map(async (request) => {
    while (!isOver) {
      const outcome = await request().then(({ status }) => status, String);
      seen.add(outcome);
    }
  });
  try {
    await happen();
  } finally {
    isOver = true;
    await Promise.all(repeating);
  }
  return seen;
}
