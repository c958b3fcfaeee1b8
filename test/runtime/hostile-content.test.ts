// Covers content that misbehaves: the server and other content are unaffected, and the log says what happened.
import { setTimeout as delay } from 'node:timers/promises';
import {
  publish,
  startTestServer,
  type CallResponse,
  type Person,
  type Published,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ASGI, asgi } from './python-content.ts';

const MEMORY = 300 * 2 ** 20;
const PROCESSES = 40;

let server: TestServer;
let owner: Person;
let quiet: Published;

beforeAll(async () => {
  server = await startTestServer({
    settings: {
      'Applications.MemoryLimit': MEMORY,
      'Applications.ProcessLimit': PROCESSES,
      'Scheduler.InitTimeout': 10,
      'Scheduler.IdleTimeout': 600,
    },
  });
  owner = await server.person('publisher');
  quiet = await publish(owner, asgi({ '/': 'answer = STARTED' }), { metadata: ASGI });
});
afterAll(() => server[Symbol.asyncDispose]());

const publishApi = (paths: Record<string, string>, before?: string) =>
  publish(owner, asgi(paths, before), { metadata: ASGI });

/** Waits for the end of the process, and returns its outcome and output. */
async function endOf({ guid }: Published): Promise<{ outcome: string; lines: string[] }> {
  for (;;) {
    const [job] = (await owner.call('GET', `/v1/content/${guid}/jobs`)).body;
    if (job?.status === 2) {
      const log = (await owner.call('GET', `/v1/content/${guid}/jobs/${job.key}/log`)).body;
      return { outcome: job.outcome, lines: log.entries.map((entry: { data: string }) => entry.data) };
    }
    await delay(20);
  }
}

/** Checks that other content answers quickly and from the same process during `work`. */
async function expectUnnoticed(work: () => Promise<unknown>): Promise<void> {
  const before = (await server.anonymous('GET', quiet.path)).body;
  let done = false;
  const working = work().finally(() => (done = true));
  let asked = 0;
  while (!done) {
    const response = await server.anonymous('GET', quiet.path);
    expect(response).toMatchObject({ status: 200, body: before });
    asked += 1;
    // As a person would: without a pause, asking takes a whole core.
    await delay(20);
  }
  await working;
  expect(asked).toBeGreaterThan(0);
}

test('a killed process returns 502 to its visitor, and the next one gets a new process', async () => {
  const content = await publishApi({ '/': 'answer = 1', '/die': 'os.kill(os.getpid(), signal.SIGKILL)' });
  await expectUnnoticed(async () => {
    expect((await server.anonymous('GET', `${content.path}die`)).status).toBe(502);
  });
  const { outcome, lines } = await endOf(content);
  expect(outcome).toMatch(/SIGKILL|code 137/);
  expect(lines.at(-1)).toContain(outcome);
});

test('a process that stops listening without ending is replaced', async () => {
  const deaf = `
import socket
for fd in os.listdir("/proc/self/fd"):
    try:
        with socket.socket(fileno=os.dup(int(fd))) as copy:
            if copy.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                os.close(int(fd))
    except OSError:
        pass
answer = "deaf"`;
  const content = await publishApi({ '/': 'answer = STARTED', '/deaf': deaf });
  const first = (await server.anonymous('GET', content.path)).body;
  expect((await server.anonymous('GET', `${content.path}deaf`)).body).toBe('deaf');
  const asked = async () => {
    const { status, body } = await server.anonymous('POST', content.path);
    return status === 200 && body !== first;
  };
  await expect.poll(asked, { timeout: 15_000 }).toBe(true);
  const jobs = (await owner.call('GET', `/v1/content/${content.guid}/jobs`)).body;
  const old = jobs.at(-1).key;
  const log = () => owner.call('GET', `/v1/content/${content.guid}/jobs/${old}/log`);
  const lines = async () => JSON.stringify((await log()).body.entries);
  await expect.poll(lines).toContain('does not accept connections any more');
});

test('a process that fills its memory ends alone, and its log names the limit', async () => {
  const content = await publishApi({ '/': 'answer = 1', '/fill': 'x = bytearray(2 ** 30)\nanswer = len(x)' });
  const filled: CallResponse[] = [];
  await expectUnnoticed(async () => {
    filled.push(await server.anonymous('GET', `${content.path}fill`));
  });
  if (!server.running.services.isolation.cgroups) {
    // The limit of a single process makes the allocation fail.
    expect(filled[0]!.body).toEqual({ error: 'MemoryError: ' });
    return;
  }
  expect(filled[0]!.status).toBe(502);
  expect((await endOf(content)).outcome).toBe('ran out of memory (limit 300 MiB)');
});

test('a process that hangs at startup fails its deploy after InitTimeout, and is ended', async () => {
  const content = await publishApi({ '/': 'answer = 1' }, 'time.sleep(1000)');
  expect(content.task).toMatchObject({ code: 1 });
  expect(content.task.error).toMatch(/within 10 seconds/);
  expect((await owner.call('GET', `/v1/content/${content.guid}`)).body.bundle_id).toBeNull();
  await endOf(content);
});

test('endless output keeps only the end of the log, and does not fill the server’s memory', async () => {
  const megabytes = 400;
  const code = `for i in range(${megabytes}): sys.stdout.write(("x" * 99 + "\\n") * 10000)\nsys.stdout.flush()\nanswer = "done"`;
  const content = await publishApi({ '/': 'answer = 1', '/print': code });
  const before = process.memoryUsage().rss;
  await expectUnnoticed(async () => {
    expect((await server.anonymous('GET', `${content.path}print`)).body).toBe('done');
  });
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * 2 ** 20);
  const [job] = (await owner.call('GET', `/v1/content/${content.guid}/jobs`)).body;
  const log = await owner.call('GET', `/v1/content/${content.guid}/jobs/${job.key}/log`);
  expect(log.bytes.length).toBeLessThan(8 * 2 ** 20);
});

test('a fork bomb reaches only its own process limit', async () => {
  const fork = `
made = 0
try:
    while made < 500:
        pid = os.fork()
        if pid == 0:
            time.sleep(1000)
            os._exit(0)
        made += 1
except OSError as error:
    answer = [made, error.errno]
`;
  const content = await publishApi({ '/': 'answer = 1', '/fork': fork });
  await expectUnnoticed(async () => {
    const [made, errno] = (await server.anonymous('GET', `${content.path}fork`)).body;
    expect(made).toBeLessThan(PROCESSES);
    expect(errno).toBe(11);
  });
  // Deleting the content ends the process and its descendants.
  expect((await owner.call('DELETE', `/v1/content/${content.guid}`)).status).toBe(204);
});

describe('From inside the sandbox', () => {
  let content: Published;
  beforeAll(async () => {
    content = await publishApi({
      '/': 'answer = 1',
      '/read': 'answer = open(headers["x-path"]).read()',
      '/list': 'answer = sorted(os.listdir(headers["x-path"]))',
      '/environ': 'answer = dict(os.environ)',
      '/processes': 'answer = [p for p in os.listdir("/proc") if p.isdigit()]',
      '/who': 'answer = [os.getuid(), os.getcwd()]',
    });
  });
  const inside = async (what: string, path = '') =>
    (await server.anonymous('GET', content.path + what, { headers: { 'x-path': path } })).body;

  test('the database, the server’s keys and other content cannot be read', async () => {
    const absent = {
      error: expect.stringMatching(/^(FileNotFoundError|PermissionError|NotADirectoryError)/),
    };
    const [, own] = await inside('who');
    const others = (await owner.call('GET', `/v1/content/${quiet.guid}`)).body;
    expect(others.bundle_id).not.toBeNull();
    for (const path of ['pressroom.sqlite', 'secret.key', 'bundles', `content/${quiet.guid}`, 'logs']) {
      expect(await inside('read', `${server.dataDir}/${path}`), path).toMatchObject(absent);
      expect(await inside('list', `${server.dataDir}/${path}`), path).toMatchObject(absent);
    }
    for (const path of ['/etc/shadow', '/root', '/home', `${process.cwd()}/test`]) {
      expect(await inside('list', path), path).toMatchObject({ error: expect.any(String) });
    }
    // It can read its own files.
    expect(await inside('list', own)).toContain('app.py');
  });

  test('sees only its own processes, and runs as an unprivileged account', async () => {
    expect((await inside('processes')).length).toBeLessThan(6);
    if (process.getuid?.() === 0) expect((await inside('who'))[0]).not.toBe(0);
  });

  test('the environment contains nothing of the server’s', async () => {
    const environ = await inside('environ');
    expect(Object.keys(environ)).not.toContain('PRESSROOM_TEST_ENGINE');
    expect(environ).toMatchObject({
      RSTUDIO_PRODUCT: 'CONNECT',
      POSIT_PRODUCT: 'CONNECT',
      R_CONFIG_ACTIVE: 'rsconnect',
      HOME: '/tmp',
    });
  });

  test('the content key works for the content only', async () => {
    const { CONNECT_API_KEY: key, CONNECT_SERVER: address } = await inside('environ');
    expect(address).toBe(`${server.url}/`);
    const headers = { Authorization: `Key ${key}` };
    const ask = (path: string) => server.anonymous('GET', path, { headers });
    expect((await ask('/v1/user')).body).toMatchObject({ guid: owner.guid });
    expect((await ask(`/v1/content/${content.guid}`)).status).toBe(200);
    expect(await ask(`/v1/content/${quiet.guid}`)).toMatchObject({ status: 403, body: { code: 22 } });
    expect(await ask('/v1/users')).toMatchObject({ status: 403, body: { code: 22 } });
    const keys = (await owner.call('GET', `/v1/users/${owner.guid}/keys`)).body;
    expect(keys).toHaveLength(1);
  });

  test('a key that its owner sets instead reads other content, within the role of the key', async () => {
    const made = await owner.call('POST', '/keys', { body: { name: 'reads pins', role: 'viewer' } });
    const reader = await publishApi({ '/environ': 'answer = dict(os.environ)' });
    const body = [{ name: 'CONNECT_API_KEY', value: made.body.key }];
    const variables = `/v1/content/${reader.guid}/environment`;
    expect(await owner.call('PATCH', variables, { body })).toMatchObject({ status: 200 });
    await owner.call('POST', `/v1/content/${reader.guid}/restart`);
    const environ = (await server.anonymous('GET', `${reader.path}environ`)).body;
    expect(environ).toMatchObject({ CONNECT_API_KEY: made.body.key, CONNECT_SERVER: `${server.url}/` });
    const headers = { Authorization: `Key ${environ.CONNECT_API_KEY}` };
    const ask = (method: string, path: string) => server.anonymous(method, path, { headers });
    expect((await ask('GET', `/v1/content/${quiet.guid}`)).status).toBe(200);
    expect(await ask('DELETE', `/v1/content/${quiet.guid}`)).toMatchObject({
      status: 403,
      body: { code: 20 },
    });
  });
});
