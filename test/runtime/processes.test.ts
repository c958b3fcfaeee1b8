// Covers starts of content processes: their account, their isolation, and their end with the server.
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  caller,
  firstAdministrator,
  publish,
  startGitServer,
  startServerProcess,
  startTestServer,
  type Person,
  type Published,
} from '@pressroom/testkit';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { findAccount } from '../../packages/server/src/runtime/sandbox/accounts.ts';
import { GIT_SETTINGS, gitSteps } from '../acceptance/git-steps.ts';
import { ASGI, asgi } from './python-content.ts';

const isRoot = process.getuid?.() === 0;
const WHO = asgi({ '/': 'answer = os.getuid()', '/list': 'answer = sorted(os.listdir(headers["x-path"]))' });
const jobsOf = async (owner: Person, { guid }: Published) =>
  (await owner.call('GET', `/v1/content/${guid}/jobs`)).body;

test('a killed server ends its content processes, and the next one records their outcome', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pressroom-die-'));
  const env = { PRESSROOM_SCHEDULER_IDLETIMEOUT: '600' };
  await using server = await startServerProcess(dataDir, env);
  const owner = await firstAdministrator(() => server.url);
  const content = await publish(owner, WHO, { metadata: ASGI });
  const [{ pid }] = await jobsOf(owner, content);
  expect(existsSync(`/proc/${pid}`)).toBe(true);
  await server.stop('SIGKILL');
  while (existsSync(`/proc/${pid}`)) await delay(10);
  await using next = await startServerProcess(dataDir, env);
  const call = caller(() => next.url, owner.key);
  const [job] = (await call('GET', `/v1/content/${content.guid}/jobs`)).body;
  expect(job).toMatchObject({ status: 2, outcome: 'The server that ran it stopped' });
  // The next visitor can use the content again.
  expect((await fetch(`${next.url}/content/${content.guid}/`)).status).toBe(200);
  await next.stop('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
});

test('content runs as its own account, or its deploy fails if the server may not switch', async () => {
  await using server = await startTestServer({ engine: 'sqlite' });
  const admin = await server.administrator();
  const content = await publish(admin, WHO, { metadata: ASGI });
  const account = findAccount('daemon')!;
  const changed = await admin.call('PATCH', `/v1/content/${content.guid}`, { body: { run_as: 'daemon' } });
  expect(changed.status).toBe(200);
  const again = await publish(admin, WHO, { metadata: ASGI, guid: content.guid });
  if (!isRoot) {
    expect(again.task).toMatchObject({ code: 57 });
    return;
  }
  expect(again.task).toMatchObject({ code: 0 });
  expect((await server.anonymous('GET', content.path)).body).toBe(account.uid);
});

test('without isolation content runs, and startup logs what is not protected', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  await using server = await startTestServer({
    engine: 'sqlite',
    settings: { 'Isolation.Mode': 'off', ...GIT_SETTINGS },
    log,
  });
  await using git = await startGitServer();
  await git.push({ 'index.html': 'hello' });
  const owner = await server.person('publisher');
  const { body } = await owner.call('POST', '/v1/content', { body: { name: 'from-git' } });
  const repository = gitSteps(() => ({ server, git, owner, guid: body.guid }));
  await repository.connect();
  expect(await repository.deploy()).toMatchObject({ code: 0 });
  const content = await publish(owner, WHO, { metadata: ASGI });
  expect(content.task).toMatchObject({ code: 0 });
  expect((await server.anonymous('GET', content.path)).status).toBe(200);
  const said = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect(said).toContainEqual(
    expect.stringMatching(/^Not protected: content can read the files of other content/),
  );
  expect(said).toContainEqual(expect.stringMatching(/^Not protected: .*number of processes/));
  if (!isRoot) return;
  // An account other than the server's still cannot read the server's files.
  for (const path of ['bundles', 'logs']) {
    const headers = { 'x-path': `${server.dataDir}/${path}` };
    const { body } = await server.anonymous('GET', `${content.path}list`, { headers });
    expect(body).toMatchObject({ error: expect.stringMatching(/^PermissionError/) });
  }
});

test('startup rejects an account that does not exist', async () => {
  const settings = { 'Applications.RunAs': 'nobody-of-that-name' };
  await expect(startTestServer({ engine: 'sqlite', settings })).rejects.toThrow(/nobody-of-that-name/);
});

test('a visitor who arrives while one process is stopped gets another one', async () => {
  await using server = await startTestServer({
    engine: 'sqlite',
    settings: { 'Scheduler.IdleTimeout': 600, 'Applications.PreparedProcesses': 0 },
  });
  const owner = await server.person('publisher');
  const content = await publish(
    owner,
    asgi({
      '/': 'answer = STARTED',
      '/stay': 'signal.signal(signal.SIGINT, lambda *_: print("goes on", flush=True))\nanswer = STARTED',
    }),
    { metadata: ASGI },
  );
  const { body: first } = await server.anonymous('GET', `${content.path}stay`);
  const [{ key }] = await jobsOf(owner, content);
  const job = `/v1/content/${content.guid}/jobs/${key}`;
  const stopping = owner.call('DELETE', job);
  await expect
    .poll(async () => JSON.stringify((await owner.call('GET', `${job}/log`)).body))
    .toContain('goes on');
  const next = await server.anonymous('GET', content.path);
  expect(next.status).toBe(200);
  expect(next.body).not.toBe(first);
  expect((await stopping).status).toBe(200);
});

test('a process that no longer starts is tried again at growing intervals', async () => {
  await using server = await startTestServer({ engine: 'sqlite' });
  const owner = await server.person('publisher');
  const needs = `
if os.path.exists("started") and "PASSWORD" not in os.environ:
    raise RuntimeError("it has no password")
open("started", "w").close()
`;
  const content = await publish(owner, asgi({ '/': 'answer = 1' }, needs), { metadata: ASGI });
  const [{ pid }] = await jobsOf(owner, content);
  process.kill(pid, 'SIGKILL');
  while ((await jobsOf(owner, content))[0].status === 0) await delay(50);
  const visit = () => server.anonymous('GET', content.path, { headers: { accept: 'text/html' } });
  const waits = new Set<number>();
  // Without a back-off that grows, it is one second each time.
  while (Math.max(...waits) < 2) {
    const page = await visit();
    expect(page.status).toBe(502);
    waits.add(Number(page.headers.get('retry-after')));
    await delay(50);
  }
  const tried = (await jobsOf(owner, content)).length;
  const body = [{ name: 'PASSWORD', value: 'x' }];
  await owner.call('PATCH', `/v1/content/${content.guid}/environment`, { body });
  await expect.poll(async () => (await visit()).status, { interval: 10 }).toBe(200);
  expect((await jobsOf(owner, content)).length).toBe(tried + 1);
});

test('a process that no longer starts shows visitors an error, and its owner the log', async () => {
  await using server = await startTestServer({
    engine: 'sqlite',
    settings: { 'Scheduler.IdleTimeout': 600 },
  });
  const owner = await server.person('publisher');
  const once = `
if os.path.exists("started"):
    raise RuntimeError("it was started before")
open("started", "w").close()
`;
  const content = await publish(owner, asgi({ '/': 'answer = 1' }, once), { metadata: ASGI });
  const [{ pid, key }] = await jobsOf(owner, content);
  process.kill(pid, 'SIGKILL');
  while ((await jobsOf(owner, content))[0].status === 0) await delay(50);
  // A crash counts as a failed start: no other start until the back-off is over.
  let jobs = await jobsOf(owner, content);
  while (jobs.length === 1) {
    const headers = { accept: 'text/html' };
    const page = await server.anonymous('GET', content.path, { headers });
    expect(page.status).toBe(502);
    expect(page.bytes.toString()).toContain('<h1>The content does not start</h1>');
    await delay(50);
    jobs = await jobsOf(owner, content);
  }
  const failed = jobs.find((job: { key: string }) => job.key !== key);
  const log = await owner.call('GET', `/v1/content/${content.guid}/jobs/${failed.key}/log`);
  expect(log.bytes.toString()).toContain('it was started before');
});

test('serves a TensorFlow model with the configured server', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-tensorflow-'));
  // A stand-in that accepts the same options and returns where it looks for models.
  const file = join(directory, 'tensorflow_model_server');
  await writeFile(
    file,
    `#!/usr/bin/python3
import http.server, json, os, sys
options = dict(a[2:].split("=", 1) for a in sys.argv[1:])
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        base = options["model_base_path"]
        body = json.dumps([self.path, options["model_name"], sorted(os.listdir(base + "/1"))]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.HTTPServer(("127.0.0.1", int(options["rest_api_port"])), Handler).serve_forever()
`,
  );
  await chmod(file, 0o755);
  await chmod(directory, 0o755);
  {
    await using server = await startTestServer({ engine: 'sqlite', settings: { 'TensorFlow.Server': file } });
    const owner = await server.person('publisher');
    const metadata = { appmode: 'tensorflow-saved-model' };
    const model = await publish(
      owner,
      { 'saved_model.pb': 'x', 'variables/variables.index': 'y' },
      { metadata },
    );
    expect(model.task).toMatchObject({ code: 0 });
    const response = await server.anonymous('GET', `${model.path}v1/models/default`);
    expect(response.body).toEqual([
      '/v1/models/default',
      'default',
      ['manifest.json', 'saved_model.pb', 'variables'],
    ]);
  }
  await rm(directory, { recursive: true, force: true });
});
