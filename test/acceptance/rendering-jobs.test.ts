// Covers renderings as jobs: listed beside processes, read, waited for and cancelled by their key, as other clients do.
import {
  finishedTask,
  grant,
  holdDeploys,
  makeQuickRenderer,
  publish,
  QUICK_DOCUMENT,
  quickDocument,
  refused,
  startTestServer,
  upload,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSchedules } from '../../packages/server/src/schedules/schedules.ts';
import { removeTasksBefore } from '../../packages/server/src/tasks/store.ts';
import { ASGI, asgi } from '../runtime/python-content.ts';

const stack = new AsyncDisposableStack();
let server: TestServer;
let owner: Person;
let admin: Person;

beforeAll(async () => {
  const { settings } = stack.use(await makeQuickRenderer());
  server = stack.use(await startTestServer({ settings }));
  owner = await server.person('publisher');
  admin = await server.administrator();
});
afterAll(() => stack.disposeAsync());

const REPORT = quickDocument(
  `import time
log("rendering " + region)
if region == "Bad": raise RuntimeError("no such region")
if region == "Endless": time.sleep(100_000)`,
  { region: 'North' },
);
const metadata = QUICK_DOCUMENT;
interface Job {
  key: string;
  status: number;
  start_time: string;
}

const jobsOf = async (guid: string): Promise<Job[]> =>
  (await owner.call('GET', `/v1/content/${guid}/jobs`)).body;
const keysOf = async (guid: string) => (await jobsOf(guid)).map(({ key }) => key);
const logOf = async (guid: string, key: string, query = '') =>
  (await owner.call('GET', `/v1/content/${guid}/jobs/${key}/log?${query}`)).body;
const textOf = ({ entries }: { entries: { data: string }[] }) => entries.map(({ data }) => data);

/** Creates a variant, which is rendered. */
async function startVariant(guid: string, region: string) {
  const body = { name: region, values: { region }, visibility: 'private' };
  const { status, body: made } = await owner.call('POST', `/v1/content/${guid}/variants`, { body });
  expect(status).toBe(200);
  return made as { key: string; task_id: string };
}

/** Starts a rendering that ends when it is cancelled, and waits until it prints. */
async function renderEndlessly(guid: string): Promise<string> {
  const { task_id } = await startVariant(guid, 'Endless');
  const lines: string[] = [];
  for (let first = 0; !lines.includes('rendering Endless');) {
    const log = await logOf(guid, task_id, `first=${first}&wait=20`);
    lines.push(...textOf(log));
    first = log.last;
  }
  return task_id;
}

describe('The renderings of a document', () => {
  test('a reader of the log is woken by the next line: nothing looks for it each second', async () => {
    const { guid } = await publish(owner, REPORT, { metadata });
    const key = await renderEndlessly(guid);
    const { last } = await logOf(guid, key);
    const { tasks } = server.running.services;
    const waits = vi.spyOn(tasks, 'nextOutput');
    const waiting = logOf(guid, key, `first=${last}&wait=20`);
    await vi.waitFor(() => expect(waits).toHaveBeenCalled());
    const [id, milliseconds] = waits.mock.calls[0]!;
    expect(id).toBe(key);
    // All that is left of the 20 seconds.
    expect(milliseconds).toBeGreaterThan(10_000);
    await owner.call('POST', `/v1/tasks/${key}/cancel`);
    const { entries, finished } = await waiting;
    expect(finished || entries.length > 0).toBe(true);
    waits.mockRestore();
  });

  test('are jobs: by a deploy, by hand, on schedule, and of variants, the newest first', async () => {
    const { guid, task } = await publish(owner, REPORT, { metadata });
    const byHand = (await owner.call('POST', `/v1/content/${guid}/render`)).body.task_id;
    await finishedTask(owner, byHand);
    const bad = await startVariant(guid, 'Bad');
    const { error } = await finishedTask(owner, bad.task_id);
    expect(error).toContain('no such region');
    const { services } = server.running;
    await owner.call('PUT', `/v1/content/${guid}/schedule`, { body: { cron: '0 0 1 1 *' } });
    const clock = { now: () => services.clock.now() + 366 * 86_400_000_000 };
    using schedules = createSchedules({ ...services, clock });
    const [scheduled] = await schedules.runDue();
    await finishedTask(owner, scheduled!);

    const bundle_id = (await owner.call('GET', `/v1/content/${guid}`)).body.bundle_id;
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const of = { content_guid: guid, bundle_id, tag: 'build_report', pid: null, status: 2 };
    const succeeded = { ...of, variant_id: 'default', exit_code: 0, outcome: 'succeeded' };
    const failed = { ...of, variant_id: bad.key, exit_code: 1, outcome: error };
    const jobs = await jobsOf(guid);
    expect(jobs).toEqual(
      [
        { key: scheduled, ...succeeded },
        { key: bad.task_id, ...failed },
        { key: byHand, ...succeeded },
        { key: task.id, ...succeeded },
      ].map((job) => ({ ...job, id: job.key, queued_time: time, start_time: time, end_time: time })),
    );
    for (const job of jobs)
      expect((await owner.call('GET', `/v1/content/${guid}/jobs/${job.key}`)).body).toEqual(job);
    expect((await owner.call('GET', `/applications/${guid}/jobs`)).body[1]).toEqual({
      id: bad.task_id,
      key: bad.task_id,
      pid: null,
      app_id: guid,
      app_guid: guid,
      bundle_id: Number(bundle_id),
      tag: 'build_report',
      start_time: expect.any(Number),
      end_time: expect.any(Number),
      exit_code: 1,
      finalized: true,
    });
  });

  test('have their output as a log, with the times of its stages', async () => {
    const { guid, task } = await publish(owner, REPORT, { metadata });
    const log = await logOf(guid, task.id);
    expect(textOf(log)).toEqual(task.output);
    expect(log).toMatchObject({ last: task.output.length, finished: true });
    const { stages } = (await owner.call('GET', `/v1/tasks/${task.id}`)).body;
    const at = task.output.indexOf('rendering North');
    const times = Object.fromEntries(
      stages.map(({ name, time }: { name: string; time: string }) => [name, time]),
    );
    expect(log.entries[at].timestamp).toBe(times.render);
    expect(log.entries.at(-1)).toEqual({ timestamp: times.activate, data: 'Activated' });
    const [job] = await jobsOf(guid);
    expect(job?.start_time).toBe(times.extract);
    expect(textOf(await logOf(guid, task.id, `first=${at}`))).toEqual(task.output.slice(at));
    expect(await logOf(guid, task.id, 'maxLogLines=2')).toEqual({ ...log, entries: log.entries.slice(-2) });
    expect(await logOf(guid, task.id, `first=${log.last}&wait=20`)).toEqual({ ...log, entries: [] });
    const none = await owner.call('GET', `/v1/content/${guid}/jobs/${task.id}/log?maxLogLines=0`);
    expect(none).toMatchObject(refused(400, 13));
  });

  test('are active while they run or wait, but are no processes, and are cancelled like tasks', async () => {
    const { guid } = await publish(owner, REPORT, { metadata });
    const key = await renderEndlessly(guid);
    const waiting = (await owner.call('POST', `/v1/content/${guid}/render`)).body.task_id;
    expect((await jobsOf(guid)).slice(0, 2)).toMatchObject([
      { key: waiting, status: 0, end_time: null, exit_code: null, outcome: null },
      { key, status: 0, end_time: null, exit_code: null, outcome: null },
    ]);
    expect((await admin.call('GET', '/metrics/procs')).body).toEqual({});
    const path = `/v1/content/${guid}/jobs/${key}`;
    const last = (await logOf(guid, key)).last;
    const next = logOf(guid, key, `first=${last}&wait=20`);
    expect(await owner.call('DELETE', path)).toMatchObject({
      status: 200,
      body: { app_guid: guid, job_key: key, job_id: key, code: null, error: null },
    });
    expect(textOf(await next)).not.toEqual([]);
    expect(await finishedTask(owner, key)).toMatchObject({ end_reason: 'cancelled' });
    expect(await finishedTask(owner, waiting)).toMatchObject({ code: 0 });
    expect((await owner.call('GET', path)).body).toMatchObject({
      status: 2,
      exit_code: null,
      outcome: 'The task was cancelled.',
    });
    expect(await owner.call('DELETE', path)).toMatchObject(refused(400, 39));
    const { results } = (await admin.call('GET', '/v1/audit_logs?ascOrder=false&limit=100')).body;
    expect(results).toContainEqual(
      expect.objectContaining({ action: 'cancel_task', event_description: expect.stringContaining(key) }),
    );
  });

  test('are for collaborators and administrators; a deploy is cancelled by who started it', async () => {
    const { guid, task } = await publish(owner, REPORT, { metadata });
    const [collaborator, viewer] = [await server.person('publisher'), await server.person('viewer')];
    await grant(owner, guid, collaborator, 'owner');
    const of = (id: string) => `/v1/content/${guid}/jobs/${id}`;
    for (const path of [`/v1/content/${guid}/jobs`, of(task.id), `${of(task.id)}/log`]) {
      expect(await viewer.call('GET', path)).toMatchObject(refused(403, 19));
      for (const person of [collaborator, admin]) expect((await person.call('GET', path)).status).toBe(200);
    }
    const endless = await renderEndlessly(guid);
    const deploy = (await owner.call('POST', `/v1/content/${guid}/deploy`)).body.task_id;
    expect(await viewer.call('DELETE', of(endless))).toMatchObject(refused(403, 22));
    expect(await collaborator.call('DELETE', of(deploy))).toMatchObject(refused(403, 22));
    expect((await owner.call('DELETE', of(deploy))).status).toBe(200);
    expect((await collaborator.call('DELETE', of(endless))).status).toBe(200);
    for (const id of [deploy, endless])
      expect(await finishedTask(owner, id)).toMatchObject({ end_reason: 'cancelled' });
  });

  test('of the first deploy are listed before they begin', async () => {
    const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'first-report' } })).body;
    await upload(owner, guid, REPORT, metadata);
    const release = await holdDeploys(server, owner, guid);
    const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`)).body;
    expect(await jobsOf(guid)).toMatchObject([
      { key: task_id, tag: 'build_report', status: 0 },
      { bundle_id: '0' },
    ]);
    expect((await owner.call('DELETE', `/v1/content/${guid}/jobs/${task_id}`)).status).toBe(200);
    expect(await jobsOf(guid)).toMatchObject([{ key: task_id, status: 2 }, { bundle_id: '0' }]);
    release();
  });

  test('are those of a draft, not of the deploy that takes it over', async () => {
    const { guid, task } = await publish(owner, REPORT, { metadata });
    const bundle_id = await upload(owner, guid, REPORT, metadata);
    const deploy = async (body: object) => {
      const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`, { body })).body;
      return finishedTask(owner, task_id);
    };
    const draft = await deploy({ bundle_id, activate: false });
    const { id, output } = await deploy({ bundle_id });
    expect(output).toContain('Nothing is built again: a draft of this bundle is ready');
    expect(await keysOf(guid)).toEqual([draft.id, task.id]);
    // Somebody may have begun to follow it before that was known.
    expect(textOf(await logOf(guid, id))).toEqual(output);
  });

  test('are gone once their tasks are removed', async () => {
    const { guid, task } = await publish(owner, REPORT, { metadata });
    const { storage, clock } = server.running.services;
    await removeTasksBefore(storage.db, clock.now(), AbortSignal.timeout(60_000));
    expect(await jobsOf(guid)).toEqual([]);
    for (const path of ['', '/log'])
      expect(await owner.call('GET', `/v1/content/${guid}/jobs/${task.id}${path}`)).toMatchObject(
        refused(404, 4),
      );
  });
});

test('tasks that render nothing, and those of other content, are no jobs', async () => {
  const { guid: report, task } = await publish(owner, REPORT, { metadata });
  const page = await publish(owner, { 'index.html': '<p>' });
  const app = await publish(owner, asgi({ '/': 'answer = 1' }), { metadata: ASGI });
  const restart = (await owner.call('POST', `/v1/content/${app.guid}/restart`)).body.task_id;
  await finishedTask(owner, restart);
  const stop = (await owner.call('POST', `/applications/${report}/terminate`)).body.task_id;
  await finishedTask(owner, stop);
  expect(await jobsOf(page.guid)).toEqual([]);
  expect(new Set((await jobsOf(app.guid)).map((job) => 'tag' in job && job.tag))).toEqual(
    new Set(['run_api']),
  );
  expect(await keysOf(report)).toEqual([task.id]);
  for (const [guid, key] of [
    [page.guid, page.task.id],
    [page.guid, task.id],
    [app.guid, app.task.id],
    [app.guid, restart],
    [report, stop],
  ] as const)
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/log'],
      ['DELETE', ''],
    ] as const)
      expect(await owner.call(method, `/v1/content/${guid}/jobs/${key}${path}`)).toMatchObject(
        refused(404, 4),
      );
});
