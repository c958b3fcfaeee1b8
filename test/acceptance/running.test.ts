// Covers content that runs, over HTTP: processes and logs, rendering on request and on schedule, visits to renderings.
import { readlinkSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  finishedTask,
  makeQuickRenderer,
  publish,
  QUICK_DOCUMENT,
  quickDocument,
  startTestServer,
  upload,
  type Person,
  type Published,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findContent } from '../../packages/server/src/content/store.ts';
import { ASGI, asgi } from '../runtime/python-content.ts';

const stack = new AsyncDisposableStack();
let server: TestServer;
let owner: Person;

beforeAll(async () => {
  const { settings } = stack.use(await makeQuickRenderer());
  server = stack.use(await startTestServer({ settings }));
  owner = await server.person('publisher');
});
afterAll(() => stack.disposeAsync());

describe('APIs and their processes', () => {
  const app = `
import os
def app(environ, start_response):
    print("asked for", environ["PATH_INFO"], flush=True)
    start_response("200 OK", [("Content-Type", "application/json")])
    return [b'"' + os.environ["GREETING"].encode() + b'"']
`;
  const metadata = { appmode: 'python-api', entrypoint: 'app:app' };

  test('an API runs with its variables; only collaborators read its processes and logs', async () => {
    const guid = (await owner.call('POST', '/v1/content', { body: { name: 'greeter', access_type: 'all' } }))
      .body.guid;
    const body = [{ name: 'GREETING', value: 'hello' }];
    await owner.call('PATCH', `/v1/content/${guid}/environment`, { body });
    const { path, task } = await publish(owner, { 'app.py': app }, { metadata, guid });
    expect(task).toMatchObject({ code: 0, error: '' });
    expect(task.output).toContain('Launching Python API...');
    expect((await server.anonymous('GET', `${path}here`)).body).toBe('hello');
    const content = (await owner.call('GET', `/v1/content/${guid}`)).body;
    const inContract = (await owner.call('GET', `/v1/experimental/content/${guid}`)).body;
    expect(inContract.app_mode).toBe('api');
    expect(content).toMatchObject({
      app_mode: 'python-api',
      py_version: expect.stringMatching(/^3\./),
      r_version: null,
    });
    const jobs = (await owner.call('GET', `/v1/content/${guid}/jobs`)).body;
    // get_log of connectapi takes the content from the job.
    expect(jobs[0]).toMatchObject({
      id: jobs[0].key,
      content_guid: guid,
      tag: 'run_api',
      bundle_id: content.bundle_id,
      variant_id: null,
      queued_time: null,
    });
    expect((await owner.call('GET', `/v1/content/${guid}/jobs/${jobs[0].key}`)).body).toEqual(jobs[0]);
    const ofJob = `/v1/content/${guid}/jobs/${jobs[0].key}/log`;
    const entries = async () => (await owner.call('GET', ofJob)).body.entries;
    // Output may arrive after the response.
    await expect
      .poll(async () => (await entries()).map(({ data }: { data: string }) => data))
      .toContain('asked for /here');
    // Variables are secret, so neither the process log nor the deploy log contains them.
    expect(JSON.stringify([await entries(), task.output])).not.toContain('hello');
    const viewer = await server.person('viewer');
    expect(await viewer.call('GET', ofJob)).toMatchObject({ status: 403, body: { code: 19 } });
  });

  test('a stopped process is replaced at the next visit', async () => {
    const source = app.replace('os.environ["GREETING"]', '"x"');
    const { guid, path } = await publish(owner, { 'app.py': source }, { metadata });
    expect((await server.anonymous('GET', path)).status).toBe(200);
    const jobsOf = async () => (await owner.call('GET', `/applications/${guid}/jobs`)).body;
    const [before] = await jobsOf();
    const { body } = await owner.call('POST', `/applications/${guid}/terminate`);
    expect(await finishedTask(owner, body.task_id)).toMatchObject({
      code: 0,
      output: ['Stopped the processes'],
    });
    expect((await server.anonymous('GET', path)).status).toBe(200);
    const jobs: { key: string; finalized: boolean }[] = await jobsOf();
    expect(jobs.map(({ key }) => key)).toContain(before.key);
    expect(jobs.filter(({ finalized }) => !finalized).map(({ key }) => key)).not.toContain(before.key);
  });

  test('a restart replaces the processes, and its task reports whether they start', async () => {
    const once = `
import os
if os.path.exists("broken"):
    raise RuntimeError("it is broken")
def app(environ, start_response):
    open("broken", "w").close()
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"x"]
`;
    const { guid, path } = await publish(owner, { 'app.py': once }, { metadata });
    const restart = async (person = owner) => person.call('POST', `/v1/content/${guid}/restart`);
    const jobsOf = async () => (await owner.call('GET', `/v1/content/${guid}/jobs`)).body;
    const [before] = await jobsOf();
    const good = await finishedTask(owner, (await restart()).body.task_id);
    expect(good).toMatchObject({ code: 0, output: expect.arrayContaining(['Launching Python API...']) });
    const jobs: { key: string; status: number }[] = await jobsOf();
    expect(jobs.find(({ key }) => key === before.key)).toMatchObject({ status: 2 });
    expect(jobs[0]).toMatchObject({ status: 0 });
    expect((await server.anonymous('GET', path)).status).toBe(200);
    const bad = await finishedTask(owner, (await restart()).body.task_id);
    expect(bad.code).not.toBe(0);
    expect(bad.error).toContain('it is broken');
    const page = await publish(owner, { 'index.html': '<p>' });
    expect(await owner.call('POST', `/v1/content/${page.guid}/restart`)).toMatchObject({
      status: 400,
      body: { code: 39 },
    });
  });

  test('visitors during a restart wait for the next process', async () => {
    const slow = `
import atexit, time
STARTED = str(time.time()).encode()
atexit.register(lambda: time.sleep(1))
def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [STARTED]
`;
    const { guid, path } = await publish(owner, { 'app.py': slow }, { metadata });
    const shown = async () => String((await server.anonymous('GET', path)).bytes);
    const first = await shown();
    const { body } = await owner.call('POST', `/v1/content/${guid}/restart`);
    let isOver = false;
    const finished = finishedTask(owner, body.task_id).finally(() => (isOver = true));
    const seen: number[] = [];
    while (!isOver) {
      seen.push((await server.anonymous('GET', path)).status);
      // Without a pause, asking takes a whole core.
      await delay(5);
    }
    expect((await finished).code).toBe(0);
    // One request at the old process may be lost with it.
    expect(seen.filter((status) => status !== 200).length).toBeLessThan(2);
    expect(await shown()).not.toBe(first);
  });

  test('a restart succeeds even when visitors wait for every connection', async () => {
    const fields = { max_processes: 1, max_conns_per_process: 1 };
    const slow = 'import atexit\natexit.register(lambda: time.sleep(1))';
    const { guid, path } = await publish(owner, asgi({ '/': 'answer = STARTED' }, slow), {
      metadata: ASGI,
      fields,
    });
    const before = (await server.anonymous('GET', path)).body;
    const { body } = await owner.call('POST', `/v1/content/${guid}/restart`);
    let isOver = false;
    const finished = finishedTask(owner, body.task_id).finally(() => (isOver = true));
    const seen: unknown[] = [];
    const visit = async () => {
      while (!isOver) seen.push((await server.anonymous('GET', path)).body);
    };
    await Promise.all([visit(), visit(), visit()]);
    expect(await finished).toMatchObject({ code: 0, error: '' });
    expect((await server.anonymous('GET', path)).body).not.toBe(before);
  });

  test('a process that is slow to start does not delay shutdown', async () => {
    await using own = await startTestServer();
    const person = await own.person('publisher');
    const once = 'time.sleep(600) if os.path.exists("again") else open("again", "w").close()';
    const { guid } = await publish(person, asgi({ '/': 'answer = 1' }, once), { metadata: ASGI });
    const { task_id } = (await person.call('POST', `/v1/content/${guid}/restart`)).body;
    const task = async () => (await person.call('GET', `/v1/tasks/${task_id}`)).body;
    await expect.poll(async () => (await task()).output).toContain('Launching Python API...');
    const begun = performance.now();
    await own.restart();
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect(await task()).toMatchObject({ finished: true, code: 1 });
  });

  test('following a log returns each line once, immediately, and its end', async () => {
    const source = app.replace('os.environ["GREETING"]', '"x"');
    const { guid, path } = await publish(owner, { 'app.py': source }, { metadata });
    const [{ key }] = (await owner.call('GET', `/v1/content/${guid}/jobs`)).body;
    const read = async (first: number, wait: number) =>
      (await owner.call('GET', `/v1/content/${guid}/jobs/${key}/log?first=${first}&wait=${wait}`)).body;
    const start = await read(0, 0);
    expect(start).toMatchObject({ last: start.entries.length, finished: false });
    const isOne = ({ data }: { data: string }) => data === 'asked for /one';
    // Requested before the line is printed, so the response waits for it; start-up output may arrive late.
    let next = read(start.last, 20);
    await server.anonymous('GET', `${path}one`);
    while (!(await next).entries.some(isOne)) next = read((await next).last, 20);
    const rest = read((await next).last, 20);
    await owner.call('POST', `/applications/${guid}/terminate`);
    let { entries, last, finished } = await rest;
    while (!finished) ({ entries, last, finished } = await read(last, 20));
    expect(JSON.stringify(entries)).not.toContain('/one');
    expect((await read(last, 20)).entries).toEqual([]);
    expect(await owner.call('GET', `/v1/content/${guid}/jobs/${key}/log?wait=21`)).toMatchObject({
      body: { code: 13 },
    });
  });

  test('an API cannot be rendered or scheduled', async () => {
    const { guid } = await publish(
      owner,
      { 'app.py': app.replace('os.environ["GREETING"]', '"x"') },
      { metadata },
    );
    for (const [method, path, body] of [
      ['POST', 'render', undefined],
      ['PUT', 'schedule', { cron: '0 6 * * *' }],
    ] as const) {
      const response = await owner.call(method, `/v1/content/${guid}/${path}`, { body });
      expect(response).toMatchObject({ status: 400, body: { code: 39 } });
    }
  });
});

describe('Documents', () => {
  const publishReport = (code: string, guid?: string) =>
    publish(owner, quickDocument(code), { metadata: QUICK_DOCUMENT, ...(guid && { guid }) });
  const now = 'import time\nprint(f"<{time.time_ns()}>")';
  const shown = async (path: string) =>
    /&lt;(\d+)&gt;/.exec((await server.anonymous('GET', path)).bytes.toString())?.[1];

  test('are rendered on request and on schedule; visits name the rendering they saw', async () => {
    const { guid, path, task } = await publishReport(now);
    expect(task).toMatchObject({ code: 0 });
    const first = await shown(path);
    const { task_id } = (await owner.call('POST', `/v1/content/${guid}/render`)).body;
    expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
    const second = await shown(path);
    expect(Number(second)).toBeGreaterThan(Number(first));

    const schedule = `/v1/content/${guid}/schedule`;
    // Every second (six fields).
    const set = await owner.call('PUT', schedule, {
      body: { cron: '* * * * * *', timezone: 'Europe/Zurich' },
    });
    expect(set.body).toMatchObject({
      cron: '* * * * * *',
      timezone: 'Europe/Zurich',
      next_time: expect.any(String),
    });
    expect((await owner.call('GET', schedule)).body).toMatchObject({ cron: '* * * * * *' });
    while ((await shown(path)) === second) await delay(100);
    expect((await owner.call('DELETE', schedule)).status).toBe(204);
    expect(await owner.call('GET', schedule)).toMatchObject({ status: 404, body: { code: 4 } });

    let visits = [];
    while (visits.length < 3) {
      const query = `content_guid=${guid}`;
      visits = (await owner.call('GET', `/v1/instrumentation/content/visits?${query}`)).body.results;
      await delay(50);
    }
    const [before, after] = visits;
    expect(before).toMatchObject({ rendering_id: expect.any(Number), variant_key: expect.any(String) });
    expect(after.rendering_id).toBeGreaterThan(before.rendering_id);
    expect(after.variant_key).toBe(before.variant_key);
  });

  test('a rendering queued behind a deploy renders the new bundle', async () => {
    const { guid, path } = await publishReport('print("first")');
    const second = quickDocument('import time\ntime.sleep(1)\nprint("second")');
    const bundle_id = await upload(owner, guid, second, QUICK_DOCUMENT);
    const { body: deploy } = await owner.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id } });
    const { body: render } = await owner.call('POST', `/v1/content/${guid}/render`);
    for (const { task_id } of [deploy, render])
      expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
    expect((await owner.call('GET', `/v1/content/${guid}`)).body).toMatchObject({ bundle_id });
    expect((await server.anonymous('GET', path)).bytes.toString()).toContain('second');
  });

  test('a rendering is synced to disk completely before it is shown', async () => {
    await using directory = await open(server.dataDir);
    const { sync } = Object.getPrototypeOf(directory) as FileHandle;
    const synced: string[] = [];
    const spy = vi.spyOn(Object.getPrototypeOf(directory), 'sync');
    spy.mockImplementation(function (this: FileHandle) {
      synced.push(readlinkSync(`/proc/self/fd/${this.fd}`));
      return sync.call(this);
    });
    try {
      const { guid } = await publishReport('write("numbers.csv", "1")');
      const { site } = (await findContent(server.running.services.storage.db, guid))!;
      const shown = join(server.dataDir, 'content', guid, site!);
      const files = ['', 'index.html', 'numbers.csv'].map((name) => join(shown, name));
      expect(synced).toEqual(expect.arrayContaining([dirname(shown), ...files]));
    } finally {
      spy.mockRestore();
    }
  });

  let report: Published;
  beforeAll(async () => {
    report = await publishReport(now);
  });

  test('a failed rendering keeps the previous one, and its task names the error', async () => {
    const { guid, path } = report;
    const before = await shown(path);
    const failed = await publishReport('print(not_there)', guid);
    expect(failed.task).toMatchObject({ code: 1 });
    expect(failed.task.error).toContain("NameError: name 'not_there' is not defined");
    expect(await shown(path)).toBe(before);
  });

  test('all signed-in users list the time zones of schedules', async () => {
    const viewer = await server.person('viewer');
    const { status, body } = await viewer.call('GET', '/v1/timezones');
    expect(status).toBe(200);
    expect(body).toContainEqual({ timezone: 'UTC', offset: '+00:00' });
    expect(body).toContainEqual({ timezone: 'Asia/Tokyo', offset: '+09:00' });
    const names = body.map(({ timezone }: { timezone: string }) => timezone);
    expect(names).toEqual(names.toSorted());

    const { guid } = report;
    const put = (timezone: string) =>
      owner.call('PUT', `/v1/content/${guid}/schedule`, { body: { cron: '0 6 * * *', timezone } });
    expect(await put(names.at(-1))).toMatchObject({ status: 200 });
    expect(await put('Europe/Nowhere')).toMatchObject({ status: 400, body: { code: 25 } });
  });

  test('rejects an invalid schedule', async () => {
    const { guid } = report;
    for (const cron of ['* *', '61 * * * *', 'every day', '0 0 30 2 *']) {
      const response = await owner.call('PUT', `/v1/content/${guid}/schedule`, { body: { cron } });
      expect(response, cron).toMatchObject({ status: 400, body: { code: 25 } });
    }
  });

  test('cancelling a rendering ends it and keeps the previous one', async () => {
    const { guid, path } = report;
    const before = await shown(path);
    const slow = publishReport('import time\nlog("begun")\ntime.sleep(1000)', guid);
    const tasks = async () =>
      await server.running.services.storage.db
        .selectFrom('task')
        .selectAll()
        .where('content_guid', '=', guid)
        .where('finished', '=', 0)
        .execute();
    let open = await tasks();
    while (open.length === 0 || open[0]!.lines < 3) {
      await delay(20);
      open = await tasks();
    }
    await owner.call('POST', `/v1/tasks/${open[0]!.id}/cancel`);
    expect((await slow).task).toMatchObject({ code: 1, error: 'The task was cancelled.' });
    expect(await shown(path)).toBe(before);
  });
});
