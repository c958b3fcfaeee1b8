// Covers canaries: a bundle gets a share of new visitors, is compared with the live one, then rolled back or made live
// automatically.
import { once } from 'node:events';
import {
  finishedTask,
  grant,
  publish,
  PYTHON_API,
  pythonApi,
  startTestServer,
  upload,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { removeEndedDrafts } from '../../packages/server/src/deploys/drafts/drafts.ts';
import { asgi } from '../runtime/python-content.ts';
import { canarySteps } from './canary-steps.ts';

let server: TestServer;
let owner: Person;
let second: Person;
beforeAll(async () => {
  server = await startTestServer({ settings: {} });
  [owner, second] = [await server.person('publisher'), await server.person('publisher')];
});
afterAll(() => server[Symbol.asyncDispose]());

const {
  live,
  post,
  deploy,
  begin,
  canaryOf,
  lockAtNextDeploy,
  liveOf,
  reach,
  visits,
  visitUntilEnd,
  untilBothAreShown,
  shown,
  passTime,
  actions,
} = canarySteps(
  () => server,
  () => owner,
);

describe('Canary bundle that fails one request in ten', () => {
  test('is rolled back automatically with the reason and both request counts', async () => {
    const { guid } = await live();
    const before = await liveOf(guid);
    const bundle = await begin(guid, pythonApi('new', 10));
    expect(await canaryOf(guid)).toMatchObject({
      state: 'running',
      bundle_id: bundle,
      live_bundle_id: before,
      share: 50,
    });
    let [asked, failed] = [0, 0];
    const state = async () => {
      const seen = await visits(guid, 10);
      asked += seen.length;
      failed += seen.filter(({ status }) => status === 500).length;
      return (await canaryOf(guid)).state;
    };
    // Not without a pause: the server judges once a second.
    await expect.poll(state, { interval: 100 }).not.toBe('running');
    await reach(guid, 'back');
    // Requests that were answered during the decision count, too.
    await expect.poll(async () => (await canaryOf(guid)).canary.errors, { interval: 100 }).toBe(failed);
    const ended = await canaryOf(guid);
    expect(ended.reason).toMatch(
      /^\d+(\.\d)? % of its requests failed \(\d+ of \d+\), against 0 % of the live bundle/,
    );
    expect(ended.decided_by).toBeNull();
    expect(failed).toBeGreaterThanOrEqual(3);
    expect(ended.live.errors).toBe(0);
    expect(ended.live.requests + ended.canary.requests).toBeLessThanOrEqual(asked);
    expect(ended.live.requests).toBeGreaterThan(0);
    expect(await shown(guid)).toEqual(['old']);
    expect(await liveOf(guid)).toBe(before);
    expect(await actions(guid)).toEqual(expect.arrayContaining(['start_canary', 'end_canary']));
  });
});

describe('Sessions during a canary', () => {
  const SESSIONS = { appmode: 'python-shiny', entrypoint: 'app:app' };
  const pages = (text: string) => asgi({ '/': `answer = "${text}"`, '/part': `answer = "${text}"` });
  const ask = async (guid: string, rest: string, cookie: string, accept: string) => {
    const headers = { accept, ...(cookie && { cookie }) };
    const { body, headers: answered } = await server.anonymous('GET', `//content/${guid}/${rest}`, {
      headers,
    });
    const cookies = answered.getSetCookie().map((one: string) => one.split(';')[0]!);
    return { body: body as string, cookie: cookies.join('; ') };
  };
  const page = (guid: string, cookie = '') => ask(guid, '', cookie, 'text/html');
  const part = (guid: string, cookie: string) => ask(guid, 'part', cookie, '*/*');
  /** Returns the cookie of a new visitor who is shown this text. */
  async function visitor(guid: string, text: string): Promise<string> {
    for (;;) {
      const { body, cookie } = await page(guid);
      if (body === text) return cookie;
    }
  }

  test('stay with their bundle; after a rollback the next page is from the live one', async () => {
    const { guid } = await publish(owner, pages('old'), { metadata: SESSIONS });
    const { cookie: earlier } = await page(guid);
    const bundle_id = await upload(owner, guid, pages('new'), SESSIONS);
    expect(await deploy(guid, { bundle_id, canary: { share: 50 } })).toMatchObject({ code: 0 });
    const [old, own] = [await visitor(guid, 'old'), await visitor(guid, 'new')];
    expect(own).toMatch(/pressroom-bundle=\d+\.\d+/);
    for (let i = 0; i < 5; i += 1) {
      expect((await page(guid, earlier)).body).toBe('old');
      expect((await page(guid, old)).body).toBe('old');
      expect((await page(guid, own)).body).toBe('new');
      expect([(await part(guid, old)).body, (await part(guid, own)).body]).toEqual(['old', 'new']);
    }
    const url = `${server.url.replace('http', 'ws')}/content/${guid}/`;
    const socket = new WebSocket(url, { headers: { cookie: own } });
    await once(socket, 'open');
    await owner.call('POST', `/v1/content/${guid}/canary/back`, { body: {} });
    socket.send('still there');
    expect(String((await once(socket, 'message'))[0])).toBe('still there');
    expect((await part(guid, own)).body).toBe('new');
    socket.close();
    expect((await page(guid, own)).body).toBe('old');
    const shownNow = [await page(guid), await page(guid), await page(guid), await page(guid)];
    expect(shownNow.map(({ body }) => body)).toEqual(['old', 'old', 'old', 'old']);
  });

  test('sessions of the old bundle move to the live one a day after the decision', async () => {
    const { guid } = await publish(owner, pages('old'), { metadata: SESSIONS });
    const bundle_id = await upload(owner, guid, pages('new'), SESSIONS);
    await deploy(guid, { bundle_id, canary: { share: 50 } });
    const own = await visitor(guid, 'new');
    await owner.call('POST', `/v1/content/${guid}/canary/back`, { body: {} });
    expect((await part(guid, own)).body).toBe('new');
    const { db } = server.running.services.storage;
    const yesterday = (Date.now() - 86_500_000) * 1000;
    await db
      .updateTable('canary')
      .set({ decided_time: yesterday })
      .where('content_guid', '=', guid)
      .execute();
    await server.restart();
    expect((await part(guid, own)).body).toBe('old');
  });
});

test('a canary whose finish an older server interrupted resumes running', async () => {
  const { guid } = await live();
  await begin(guid);
  const { db } = server.running.services.storage;
  const { task_id } = await db
    .selectFrom('canary')
    .select('task_id')
    .where('content_guid', '=', guid)
    .executeTakeFirstOrThrow();
  await db
    .updateTable('task')
    .set({ code: 1, end_reason: 'interrupted' })
    .where('id', '=', task_id)
    .execute();
  const finishing = { state: 'finishing', finish_task: task_id } as const;
  await db.updateTable('canary').set(finishing).where('content_guid', '=', guid).execute();
  await expect.poll(async () => (await canaryOf(guid)).state, { interval: 100 }).not.toBe('finishing');
  expect(await canaryOf(guid)).toMatchObject({ state: 'running' });
});

test('a canary whose process keeps crashing is rolled back; the live bundle stays live', async () => {
  const { guid } = await live();
  const own = pythonApi('new')['app.py'].replace('count += 1', 'import os; os._exit(3)');
  await begin(guid, { 'app.py': own });
  await visitUntilEnd(guid, 1);
  expect((await canaryOf(guid)).reason).toMatch(/of its processes crashed|of its requests failed/);
  expect(await shown(guid)).toEqual(['old']);
});

test('while all servers drain, a canary is neither rolled back nor judged, and goes live afterwards', async () => {
  const { guid } = await live();
  const bundle = await begin(guid, pythonApi('new'), { share: 50, health_path: '/' });
  const admin = await server.administrator();
  const resume = () => admin.call('POST', '/v1/servers/resume');
  onTestFinished(async () => void (await resume()));
  expect((await admin.call('POST', '/v1/servers/drain')).body.all_draining).toBe(true);
  // Afterwards: a health check would start a process again.
  const stop = await owner.call('POST', `/applications/${guid}/terminate`);
  await finishedTask(owner, stop.body.task_id);
  await visits(guid, 30);
  expect((await owner.call('POST', `/v1/content/${guid}/canary/finish`)).status).toBe(200);
  await expect.poll(async () => (await canaryOf(guid)).state, { interval: 100 }).toBe('running');
  await passTime(guid);
  await resume();
  await reach(guid, 'live');
  expect(await liveOf(guid)).toBe(bundle);
  expect((await canaryOf(guid)).canary.errors).toBe(0);
});

describe('Canary that performs no worse', () => {
  test('waits for a manual decision when the canary rule requires one', async () => {
    const { guid } = await live();
    const rule = `/v1/content/${guid}/canary-rule`;
    expect((await owner.call('GET', rule)).body.code).toBe(4);
    const set = await owner.call('PUT', rule, { body: { share: 50, waits: true } });
    expect(set).toMatchObject({
      status: 200,
      body: { share: 50, waits: true, error_limit: 2, length: 1800 },
    });
    const bundle_id = await upload(owner, guid, pythonApi('new'), PYTHON_API);
    await deploy(guid, { bundle_id });
    await passTime(guid);
    await reach(guid, 'waiting');
    expect((await canaryOf(guid)).reason).toContain('its owner decides');
    await untilBothAreShown(guid);
    const { status, body } = await owner.call('POST', `/v1/content/${guid}/canary/finish`);
    expect(status).toBe(200);
    await finishedTask(owner, body.task_id);
    await reach(guid, 'live');
    expect((await canaryOf(guid)).decided_by).toBe(owner.guid);
    // One deploy without a canary. After that, deploying the previously live bundle is a rollback and goes live at once.
    const third = await upload(owner, guid, pythonApi('third'), PYTHON_API);
    await deploy(guid, { bundle_id: third, canary: { share: 0 } });
    expect(await liveOf(guid)).toBe(third);
    await deploy(guid, { bundle_id });
    expect(await liveOf(guid)).toBe(bundle_id);
    expect((await owner.call('DELETE', rule)).status).toBe(204);
    expect((await owner.call('GET', rule)).body.code).toBe(4);
  });

  test('a canary rule takes what has an effect on content of its type, and refuses the rest', async () => {
    const [api, page] = [await live(), await publish(owner, { 'index.html': 'page' })];
    const set = async (guid: string, body: object) => {
      const answer = await owner.call('PUT', `/v1/content/${guid}/canary-rule`, { body });
      return [answer.status, answer.body.code, answer.body.error];
    };
    expect(await set(api.guid, { share: 5, shrink_limit: 50 })).toEqual([
      400,
      39,
      'shrink_limit is for documents: only they are rendered',
    ]);
    expect((await owner.call('GET', `/v1/content/${api.guid}/canary-rule`)).body.code).toBe(4);
    expect((await set(api.guid, { share: 5, shrink_limit: null }))[0]).toBe(200);
    const refusal = [400, 39, 'share is for applications and APIs: only they have canaries'];
    expect(await set(page.guid, { share: 5 })).toEqual(refusal);
    expect((await set(page.guid, { shrink_limit: 50 }))[1]).toBe(39);
    const { body: empty } = await owner.call('POST', '/v1/content', { body: { name: 'not-deployed-yet' } });
    expect((await set(empty.guid, { share: 5, shrink_limit: 50 }))[0]).toBe(200);
    await publish(owner, { 'index.html': 'page' }, { guid: empty.guid });
    // As it was read: nothing changes.
    const { body: before } = await owner.call('GET', `/v1/content/${empty.guid}/canary-rule`);
    expect((await set(empty.guid, { share: before.share, shrink_limit: 50 }))[0]).toBe(200);
    expect((await set(empty.guid, { share: 6 }))[1]).toBe(39);
  });

  test('waits while deploys are locked, and nobody can make it live before', async () => {
    const { guid } = await live();
    await begin(guid);
    await owner.call('PUT', `/v1/content/${guid}/deploy-lock`, { body: { reason: 'freeze' } });
    await passTime(guid);
    await reach(guid, 'waiting');
    expect((await canaryOf(guid)).reason).toContain('freeze');
    const finish = () => owner.call('POST', `/v1/content/${guid}/canary/finish`);
    expect(await finish()).toMatchObject({ status: 403, body: { code: 22 } });
    await owner.call('DELETE', `/v1/content/${guid}/deploy-lock`);
    await finishedTask(owner, (await finish()).body.task_id);
    await reach(guid, 'live');
  });

  test('waits when deploys are locked during its finish, and keeps its visitors', async () => {
    const { guid } = await live();
    await begin(guid);
    using _held = lockAtNextDeploy(guid);
    await passTime(guid);
    await reach(guid, 'waiting');
    expect((await canaryOf(guid)).reason).toMatch(/waits to be made live: deploys .* locked: freeze$/);
    await untilBothAreShown(guid);
    await owner.call('DELETE', `/v1/content/${guid}/deploy-lock`);
    const finish = await owner.call('POST', `/v1/content/${guid}/canary/finish`);
    await finishedTask(owner, finish.body.task_id);
    await reach(guid, 'live');
  });

  test.each([
    [
      'deploys are locked',
      /deploys of the content are locked/,
      (guid: string) =>
        owner.call('PUT', `/v1/content/${guid}/deploy-lock`, { body: { reason: 'month end' } }),
    ],
    [
      'its deployer loses the right',
      /may no longer deploy/,
      (guid: string, permission: string) =>
        owner.call('DELETE', `/v1/content/${guid}/permissions/${permission}`),
    ],
  ])('does not start if %s while it is being prepared', async (_what, why, hinder) => {
    const { guid } = await live();
    const permission = await grant(owner, guid, second, 'owner');
    const bundle_id = await upload(owner, guid, pythonApi('new'), PYTHON_API);
    const body = { bundle_id, canary: { share: 50 } };
    const { body: task } = await second.call('POST', `/v1/content/${guid}/deploy`, { body });
    expect((await hinder(guid, permission.id)).status).toBeLessThan(300);
    expect(await finishedTask(owner, task.task_id)).toMatchObject({ error: expect.stringMatching(why) });
    await reach(guid, 'failed');
    expect(await shown(guid)).toEqual(['old']);
  });

  test('starts only with the approvals that the rule requires', async () => {
    const { guid } = await live();
    await grant(owner, guid, second, 'owner');
    await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
    const bundle_id = await upload(owner, guid, pythonApi('new'), PYTHON_API);
    const body = { bundle_id, canary: { share: 50 } };
    expect(await post(guid, body)).toMatchObject({ status: 403, body: { code: 22 } });
    expect((await owner.call('GET', `/v1/content/${guid}/canary`)).body.code).toBe(4);
    await second.call('POST', `/v1/content/${guid}/releases/${bundle_id}/approve`);
    await deploy(guid, body);
    expect(await canaryOf(guid)).toMatchObject({ state: 'running' });
    expect((await owner.call('GET', `/v1/content/${guid}/releases`)).body).toEqual([]);
  });

  test('keeps its approvals when the release of another bundle is requested', async () => {
    const { guid } = await live();
    await grant(owner, guid, second, 'owner');
    await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
    const bundle_id = await upload(owner, guid, pythonApi('new'), PYTHON_API);
    await post(guid, { bundle_id });
    await second.call('POST', `/v1/content/${guid}/releases/${bundle_id}/approve`);
    await deploy(guid, { bundle_id, canary: { share: 50 } });
    const next = await upload(owner, guid, pythonApi('next'), PYTHON_API);
    expect(await post(guid, { bundle_id: next })).toMatchObject({ status: 403, body: { code: 22 } });
    await passTime(guid);
    await reach(guid, 'live');
    expect(await liveOf(guid)).toBe(bundle_id);
    const waiting = (await owner.call('GET', `/v1/content/${guid}/releases`)).body;
    expect(waiting).toMatchObject([{ bundle_id: next }]);
  });

  test('can get the approvals that a rule set after its start requires', async () => {
    const { guid } = await live();
    await grant(owner, guid, second, 'owner');
    const bundle = await begin(guid);
    await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
    const finish = () => owner.call('POST', `/v1/content/${guid}/canary/finish`);
    const payload = { release: bundle, approvals: 0, needed: 1 };
    expect(await finish()).toMatchObject({ status: 403, body: { code: 22, payload } });
    expect(await canaryOf(guid)).toMatchObject({ state: 'running', finish_task_id: null });
    const approved = await second.call('POST', `/v1/content/${guid}/releases/${bundle}/approve`);
    expect(approved).toMatchObject({ status: 200, body: { approved: true } });
    const { status, body } = await finish();
    expect(status).toBe(200);
    await finishedTask(owner, body.task_id);
    await reach(guid, 'live');
  });

  test('waits for a manual decision when its promotion is cancelled', async () => {
    const { guid } = await live();
    const bundle = await begin(guid);
    const { services } = server.running;
    using _held = vi.spyOn(services.deploys, 'run').mockImplementationOnce(async () => undefined);
    const { task_id } = (await owner.call('POST', `/v1/content/${guid}/canary/finish`)).body;
    expect((await owner.call('POST', `/v1/tasks/${task_id}/cancel`)).status).toBe(200);
    await reach(guid, 'waiting');
    expect((await canaryOf(guid)).reason).toMatch(/somebody cancelled this$/);
    await untilBothAreShown(guid);
    const finish = await owner.call('POST', `/v1/content/${guid}/canary/finish`);
    await finishedTask(owner, finish.body.task_id);
    await reach(guid, 'live');
    expect(await liveOf(guid)).toBe(bundle);
  });

  test('can be opened as a draft until it ends, even if drafts expire earlier', async () => {
    await using brief = await startTestServer({ settings: { 'Applications.DraftRetention': 1 } });
    const person = await brief.person('publisher');
    const { guid } = await publish(person, pythonApi('old'), { metadata: PYTHON_API });
    const bundle_id = await upload(person, guid, pythonApi('new'), PYTHON_API);
    const body = { bundle_id, canary: { share: 50 } };
    const { task_id } = (await person.call('POST', `/v1/content/${guid}/deploy`, { body })).body;
    await finishedTask(person, task_id);
    const left = async () => {
      const [draft] = (await person.call('GET', `/v1/content/${guid}/drafts`)).body;
      return Date.parse(draft?.expires_time ?? 0) - Date.now();
    };
    const DAY = 86_400_000;
    expect(await left()).toBeGreaterThan(DAY);
    const { services } = brief.running;
    await services.storage.db.updateTable('draft').set({ expires_time: 1 }).execute();
    expect(await removeEndedDrafts(services)).toBe(0);
    expect(await left()).toBeGreaterThan(DAY);
    // Pages that are open on it keep working for a day.
    await person.call('POST', `/v1/content/${guid}/canary/back`, { body: {} });
    expect(await removeEndedDrafts(services)).toBe(0);
    await services.storage.db.updateTable('draft').set({ expires_time: 1 }).execute();
    expect(await removeEndedDrafts(services)).toBe(1);
  });
});

describe('Who decided about a canary', () => {
  test('is whoever deploys its bundle, or another one', async () => {
    const { guid } = await live();
    await grant(owner, guid, second, 'owner');
    const bundle_id = await begin(guid);
    const deployed = async (body: object) =>
      finishedTask(second, (await second.call('POST', `/v1/content/${guid}/deploy`, { body })).body.task_id);
    expect(await deployed({ bundle_id })).toMatchObject({ code: 0 });
    expect(await canaryOf(guid)).toMatchObject({ state: 'live', decided_by: second.guid });
    const third = await begin(guid, pythonApi('third'));
    const fourth = await upload(second, guid, pythonApi('fourth'), PYTHON_API);
    expect(await deployed({ bundle_id: fourth, canary: { share: 0 } })).toMatchObject({ code: 0 });
    const replaced = { state: 'replaced', bundle_id: third, decided_by: second.guid };
    expect(await canaryOf(guid)).toMatchObject(replaced);
  });

  test('is nobody while it waits again, after a promotion that was not allowed', async () => {
    const { guid } = await live();
    await begin(guid);
    using _held = lockAtNextDeploy(guid);
    await owner.call('POST', `/v1/content/${guid}/canary/finish`);
    await reach(guid, 'waiting');
    expect(await canaryOf(guid)).toMatchObject({ decided_by: null, decided_time: null });
  });
});

describe('Concurrent canary decisions', () => {
  test('a deploy that names its canary makes that one live', async () => {
    const { guid } = await live();
    const bundle_id = await begin(guid);
    const { task_id: draft_task_id } = await canaryOf(guid);
    expect(await deploy(guid, { bundle_id, draft_task_id })).toMatchObject({ code: 0 });
    expect([await liveOf(guid), (await canaryOf(guid)).state]).toEqual([bundle_id, 'live']);
  });

  test('a deploy of another bundle, or a rollback, ends the canary', async () => {
    const { guid } = await live();
    const before = await liveOf(guid);
    const third = await upload(owner, guid, pythonApi('third'), PYTHON_API);
    await deploy(guid, { bundle_id: third });
    await begin(guid);
    await deploy(guid, { bundle_id: before });
    expect(await canaryOf(guid)).toMatchObject({ state: 'replaced', reason: `bundle ${before} went live` });
    expect(await shown(guid)).toEqual(['old']);
  });

  test('a failing deploy of another bundle leaves the canary running', async () => {
    const { guid } = await live();
    const bundle = await begin(guid);
    const broken = await upload(owner, guid, { 'app.py': 'raise SystemExit(1)' }, PYTHON_API);
    const { body } = await post(guid, { bundle_id: broken, canary: { share: 50 } });
    const running = { state: 'running', bundle_id: bundle };
    expect(await canaryOf(guid)).toMatchObject(running);
    await untilBothAreShown(guid);
    expect((await finishedTask(owner, body.task_id)).code).not.toBe(0);
    const { db } = server.running.services.storage;
    const states = () => db.selectFrom('canary').select('state').where('content_guid', '=', guid).execute();
    await expect.poll(states, { interval: 100 }).toContainEqual({ state: 'failed' });
    expect(await canaryOf(guid)).toMatchObject(running);
    await untilBothAreShown(guid);
    const back = await owner.call('POST', `/v1/content/${guid}/canary/back`, { body: {} });
    expect(back.body).toMatchObject({ state: 'back', bundle_id: bundle });
  });
});

describe('Rejected canaries', () => {
  test('rejects documents, the live bundle, drafts and shares above half', async () => {
    const { guid } = await live();
    const bundle_id = await liveOf(guid);
    const canary = { share: 10 };
    expect(await post(guid, { bundle_id, canary })).toMatchObject({ status: 400, body: { code: 39 } });
    const next = await upload(owner, guid, pythonApi('new'), PYTHON_API);
    expect(await post(guid, { bundle_id: next, canary, activate: false })).toMatchObject({ status: 400 });
    for (const wrong of [{ share: 51 }, { share: -1 }, { share: 1, length: 59 }])
      expect((await post(guid, { bundle_id: next, canary: wrong })).status).toBe(400);
    const page = await publish(owner, { 'index.html': '<p>old' });
    const other = await upload(owner, page.guid, { 'index.html': '<p>new' });
    const document = await post(page.guid, { bundle_id: other, canary });
    expect(document).toMatchObject({ status: 400, body: { code: 39 } });
  });

  test('a canary whose deploy fails ends as failed, and the live bundle stays', async () => {
    const { guid } = await live();
    const bundle_id = await upload(owner, guid, { 'app.py': 'raise SystemExit(1)' }, PYTHON_API);
    expect((await deploy(guid, { bundle_id, canary: { share: 50 } })).code).not.toBe(0);
    await reach(guid, 'failed');
    expect(await shown(guid)).toEqual(['old']);
  });
});
