// Covers processes forked from a prepared one, with real Python and R: what they own, what ends when, and attacks by
// hostile content.
import { execFile } from 'node:child_process';
import { readFile, readdir, readlink, stat } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import {
  publish,
  startTestServer,
  type Files,
  type Person,
  type Published,
  type TestServer,
} from '@pressroom/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ASGI, asgi } from './python-content.ts';

const run = promisify(execFile);
const said: string[] = [];
const waiting = new Set<() => void>();
const log = pino(
  { level: 'debug' },
  new Writable({
    write(chunk, _encoding, done) {
      said.push(String(chunk));
      for (const look of waiting) look();
      done();
    },
  }),
);

let server: TestServer;
let owner: Person;

beforeAll(async () => {
  server = await startTestServer({
    log,
    engine: 'sqlite',
    settings: {
      'Applications.PreparedProcesses': 10,
      'Applications.ProcessLimit': 40,
      'Scheduler.IdleTimeout': 600,
    },
  });
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

/** Resolves at the n-th log line with this message about a content item. */
function told(guid: string, message: string, times = 1): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      const found = said.filter((line) => line.includes(guid) && line.includes(message));
      if (found.length < times) return;
      waiting.delete(look);
      resolve();
    };
    waiting.add(look);
    look();
  });
}

const READY = 'prepared a process';
const FAILED = 'a prepared process failed';

interface Job {
  readonly key: string;
  readonly pid: string;
  readonly status: number;
  readonly outcome: string | null;
}
const jobsOf = async (guid: string) => (await owner.call('GET', `/v1/content/${guid}/jobs`)).body as Job[];
const runningOf = async (guid: string) => (await jobsOf(guid)).filter(({ status }) => status === 0);
/** Waits until two run, and returns them. */
async function twoOf(guid: string): Promise<Job[]> {
  await expect.poll(async () => (await runningOf(guid)).length).toBeGreaterThanOrEqual(2);
  return runningOf(guid);
}
async function stopAll(guid: string): Promise<void> {
  for (const { key } of await runningOf(guid)) {
    const { status, body } = await owner.call('DELETE', `/v1/content/${guid}/jobs/${key}`);
    // A process of the previous bundle may have ended already (code 39).
    if (body.code !== 39) expect(status).toBe(200);
  }
}
// oxlint-disable-next-line typescript/no-explicit-any -- what each test has its content answer
async function visit({ guid }: Pick<Published, 'guid'>, path = ''): Promise<any> {
  // A kept connection may be closing, together with its process.
  const response = await fetch(`${server.url}/content/${guid}/${path}`, { headers: { connection: 'close' } });
  return response.headers.get('content-type')?.includes('json') ? response.json() : response.text();
}
const logOf = async (guid: string, key: string) => {
  const { body } = await owner.call('GET', `/v1/content/${guid}/jobs/${key}/log`);
  return (body.entries as { data: string }[]).map(({ data }) => data);
};

/** Returns the parent of the only running process, by /proc. */
async function parentOf(guid: string): Promise<{ pid: number; line: string }> {
  const [job] = await runningOf(guid);
  const status = await readFile(`/proc/${job!.pid}/status`, 'utf8');
  const pid = Number(/^PPid:\t(\d+)$/m.exec(status)![1]);
  return { pid, line: (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ') };
}
const isForked = async (guid: string) => / \S*\/prepared\.(py|R) /.test((await parentOf(guid)).line);
/** Returns the pids of all processes whose directory belongs to a content item. */
async function processesIn(guid: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const directories = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return pids.filter((_, i) => directories[i]!.includes(guid));
}

const PYTHON = asgi(
  {
    '/': 'answer = dict(os.environ)',
    '/own':
      'answer = {"random": random.random(), "tmp": os.environ["TMPDIR"], "fds": [os.readlink("/proc/self/fd/" + fd) for fd in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + fd)]}',
    '/status': 'answer = [open("/proc/self/status").read(), open("/proc/self/cgroup").read()]',
    '/print': 'print("only here", headers["x-word"], flush=True); answer = 1',
    '/kill-parent': 'os.kill(os.getppid(), signal.SIGKILL); answer = 1',
    '/steal': `
import subprocess
subprocess.Popen(["/bin/sh", "-c", "while :; do cat /run/pressroom-orders/orders > /dev/null; done"], start_new_session=True)
answer = 1`,
    '/write': `
answer = []
for path in ("/run/pressroom-orders/new", "/run/new", "/etc/new"):
    try:
        open(path, "w")
        answer.append(path)
    except OSError:
        pass
try:
    os.unlink("/run/pressroom-orders/orders")
    answer.append("orders")
except OSError:
    pass`,
    '/bomb': `
count = 0
try:
    while count < 500:
        if os.fork() == 0:
            try:
                os.setsid()
                if os.fork() == 0:
                    time.sleep(1000)
            finally:
                os._exit(0)
        count += 1
except OSError:
    pass
answer = count`,
    '/exit': 'os._exit(7)',
  },
  'import random',
);

async function publishPrepared(files: Files = PYTHON): Promise<Published> {
  const app = await publish(owner, files, { metadata: ASGI });
  expect(app.task).toMatchObject({ code: 0 });
  await told(app.guid, READY);
  expect(await isForked(app.guid)).toBe(false);
  return app;
}

test('a fork has its own variables, seed, directory and log; its parent has no secrets', async () => {
  const app = await publishPrepared();
  const { guid } = app;
  const body = [{ name: 'OWN_SECRET', value: 'b7-secret' }];
  expect((await owner.call('PATCH', `/v1/content/${guid}/environment`, { body })).status).toBe(200);
  await stopAll(guid);
  const env = await visit(app);
  expect(env).toMatchObject({ OWN_SECRET: 'b7-secret', CONNECT_CONTENT_GUID: guid, USER: 'content' });
  expect(await isForked(guid)).toBe(true);
  const { pid } = await parentOf(guid);
  const environ = await readFile(`/proc/${pid}/environ`, 'utf8');
  expect(environ).toContain('RSTUDIO_PRODUCT=CONNECT');
  for (const secret of ['b7-secret', 'OWN_SECRET', 'CONNECT_API_KEY', env.CONNECT_API_KEY])
    expect(environ).not.toContain(secret);
  const [status, groups] = await visit(app, 'status');
  expect(status).toMatch(/^NoNewPrivs:\t1$/m);
  expect(status).toMatch(/^Seccomp:\t2$/m);
  expect(status).toMatch(/^CapEff:\t0+$/m);
  expect(status).toMatch(/^Threads:\t1$/m);
  const above = await readFile(`/proc/${pid}/cgroup`, 'utf8');
  expect(groups).not.toBe(above);

  const first = await visit(app, 'own');
  const [{ key: firstJob }] = (await runningOf(guid)) as [Job];
  await fetch(`${server.url}/content/${guid}/print`, { headers: { 'x-word': 'first' } });
  // Two forks of one prepared process, started one after the other and running at the same time.
  await owner.call('PATCH', `/v1/content/${guid}`, { body: { min_processes: 2, max_processes: 2 } });
  const both = await twoOf(guid);
  const other = both.find(({ key }) => key !== firstJob)!;
  expect((await readFile(`/proc/${other.pid}/status`, 'utf8')).includes(`PPid:\t${pid}\n`)).toBe(true);
  expect((await owner.call('DELETE', `/v1/content/${guid}/jobs/${firstJob}`)).status).toBe(200);
  const second = await visit(app, 'own');
  expect(second.random).not.toBe(first.random);
  expect(second.tmp).not.toBe(first.tmp);
  expect(second.fds.filter((path: string) => path.includes('pressroom-orders/orders'))).toEqual([]);
  expect(await logOf(guid, firstJob)).toContain('only here first');
  expect(await logOf(guid, other.key)).not.toContain('only here first');
});

test('an ended fork reports its outcome, and the next one gets current variables', async () => {
  const app = await publishPrepared();
  const { guid } = app;
  await stopAll(guid);
  await visit(app);
  const [{ key }] = (await runningOf(guid)) as [Job];
  await visit(app, 'exit').catch(() => null);
  const endOf = async () => (await jobsOf(guid)).find((job) => job.key === key)!.outcome;
  await expect.poll(endOf).not.toBeNull();
  expect(await endOf()).toBe('ended with code 7');
  const body = [{ name: 'LATER', value: 'set since' }];
  await owner.call('PATCH', `/v1/content/${guid}/environment`, { body });
  expect(await visit(app)).toMatchObject({ LATER: 'set since' });
  expect(await isForked(guid)).toBe(true);
  // Variables that must be set before packages are loaded cannot be set in a fork.
  await owner.call('PATCH', `/v1/content/${guid}/environment`, {
    body: [{ name: 'PYTHONHASHSEED', value: '1' }],
  });
  await stopAll(guid);
  expect(await visit(app)).toMatchObject({ PYTHONHASHSEED: '1' });
  expect(await isForked(guid)).toBe(false);
});

test('a new bundle, a restart and a deletion end the prepared process', async () => {
  const app = await publishPrepared();
  const { guid } = app;
  await stopAll(guid);
  await visit(app);
  const before = await parentOf(guid);
  await publish(owner, asgi({ '/': 'answer = "new"' }), { metadata: ASGI, guid });
  expect(await visit(app)).toBe('new');
  await told(guid, READY, 2);
  await stopAll(guid);
  expect(await visit(app)).toBe('new');
  expect(await isForked(guid)).toBe(true);
  const after = await parentOf(guid);
  expect(after.pid).not.toBe(before.pid);
  await expect.poll(() => readlink(`/proc/${before.pid}/cwd`).catch(() => null)).toBeNull();
  await owner
    .call('POST', `/v1/content/${guid}/restart`)
    .then(({ status }) => expect(status).toBeLessThan(300));
  await told(guid, READY, 3);
  await expect.poll(() => readlink(`/proc/${after.pid}/cwd`).catch(() => null)).toBeNull();
  expect((await owner.call('DELETE', `/v1/content/${guid}`)).status).toBe(204);
  expect(await processesIn(guid)).toEqual([]);
});

const BOTH = [
  ['Python', PYTHON, ASGI],
  [
    'R',
    { 'app.R': 'library(shiny)\nshinyApp(fluidPage(), function(input, output) NULL)\n' },
    { appmode: 'shiny' },
  ],
] as const;

/** Content with one process, which was forked from the prepared one. */
async function publishForked(files: (typeof BOTH)[number][1], metadata: (typeof BOTH)[number][2]) {
  const app = await publish(owner, files, { metadata });
  const { guid } = app;
  await told(guid, READY);
  await stopAll(guid);
  await visit(app);
  const [{ key, pid: fork }] = (await runningOf(guid)) as [Job];
  const { pid } = await parentOf(guid);
  return { guid, key, fork, pid };
}

test.each(BOTH)(
  '%s: a prepared process that is too late for a fork does not end with its earlier forks',
  async (_, files, metadata) => {
    const { guid, key, fork, pid } = await publishForked(files, metadata);
    /** Grows when it waits for the next order again. */
    const waits = async () => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      return Number(/^voluntary_ctxt_switches:\t(\d+)$/m.exec(status)?.[1] ?? Infinity);
    };
    process.kill(pid, 'SIGSTOP');
    await owner.call('PATCH', `/v1/content/${guid}`, { body: { min_processes: 2, max_processes: 2 } });
    await told(guid, FAILED);
    await twoOf(guid);
    const before = await waits();
    process.kill(pid, 'SIGCONT');
    await expect.poll(waits).toBeGreaterThan(before);
    expect(await processesIn(guid)).toContain(String(fork));
    expect((await runningOf(guid)).map((job) => job.key)).toContain(key);
  },
);

test.each(BOTH)(
  '%s: a prepared process that cannot fork does not end with its earlier forks',
  async (_, files, metadata) => {
    const { guid, key, pid } = await publishForked(files, metadata);
    const { uid } = await stat(`/proc/${pid}`);
    const own = ['--reuid', String(uid), '--regid', String(uid), '--clear-groups'];
    await run('setpriv', [...own, 'prlimit', `--pid=${pid}`, '--nproc=1']);
    await owner.call('PATCH', `/v1/content/${guid}`, { body: { min_processes: 2, max_processes: 2 } });
    await told(guid, FAILED);
    await twoOf(guid);
    expect((await runningOf(guid)).map((job) => job.key)).toContain(key);
  },
);

test('content that breaks its prepared process gets ordinary processes, and gains no access', async () => {
  const app = await publishPrepared();
  const { guid } = app;
  await stopAll(guid);
  expect(await visit(app, 'write')).toEqual([]);
  expect(await isForked(guid)).toBe(true);
  expect(await visit(app, 'bomb')).toBeLessThan(40);
  // All its descendants end with it, and the next process is forked again.
  await stopAll(guid);
  expect(await processesIn(guid)).toHaveLength(1);
  await visit(app);
  expect(await isForked(guid)).toBe(true);
  // The connection of the current visitor breaks.
  await visit(app, 'kill-parent').catch(() => null);
  await told(guid, FAILED);
  expect(await processesIn(guid)).toEqual([]);
  await expect
    .poll(async () => Object.keys((await visit(app).catch(() => null)) ?? {}), { timeout: 20_000 })
    .toContain('CONNECT_SERVER');
  expect(await isForked(guid)).toBe(false);
  // The content itself reads the orders to fork: the visitor gets an ordinary process, and there are no more forks.
  await told(guid, READY, 2);
  await stopAll(guid);
  await visit(app, 'steal');
  await owner.call('PATCH', `/v1/content/${guid}`, { body: { min_processes: 2, max_processes: 2 } });
  await twoOf(guid);
  expect(await visit(app)).toHaveProperty('CONNECT_SERVER');
});

test('R: sessions have their own tokens, and .Rprofile runs in the process only', async () => {
  const source = `
library(shiny)
token <- shiny:::createUniqueId(16)
shinyApp(fluidPage(tags$p(paste0("<", token, "|", runif(1), "|", getOption("profile"), "|", tempdir(), "|", Sys.getpid(), ">"))), function(input, output) NULL)
`;
  const files = { 'app.R': source, '.Rprofile': 'options(profile = Sys.getpid())\n' };
  const app = await publish(owner, files, { metadata: { appmode: 'shiny' } });
  expect(app.task).toMatchObject({ code: 0 });
  await told(app.guid, READY);
  const pages: string[][] = [];
  for (let i = 0; i < 2; i++) {
    await stopAll(app.guid);
    pages.push(/&lt;(.*)&gt;/.exec(await visit(app))![1]!.split('|'));
    expect(await isForked(app.guid)).toBe(true);
  }
  const [one, two] = pages as [string[], string[]];
  for (const i of [0, 1, 3, 4]) expect(one[i]).not.toBe(two[i]);
  for (const page of pages) expect(page[2]).toBe(page[4]);
});
