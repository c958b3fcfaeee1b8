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

/** Over PostgreSQL run only tests about SQL, transactions and several servers. */
const isAlone = process.env.PRESSROOM_TEST_ENGINE !== 'postgres';
let server: TestServer;
let owner: Person;
let second: Person;
beforeAll(async () => {
  server = await startTestServer({ settings: {} });
  [owner, second] = [await server.person('publisher'), await server.person('publisher')];
});
afterAll(() => server[Symbol.asyncDispose]());

const live = () => publish(owner, pythonApi('old'), { metadata: PYTHON_API });
const post = (guid: string, body: object) => owner.call('POST', `/v1/content/${guid}/deploy`, { body });
async function deploy(guid: string, body: object) {
  const { status, body: response } = await post(guid, body);
  expect([status, response.error]).toEqual([200, undefined]);
  return finishedTask(owner, response.task_id);
}
/** Uploads a bundle and starts a canary with half of the visitors. */
async function begin(
  guid: string,
  files = pythonApi('new'),
  canary: object = { share: 50 },
): Promise<string> {
  const bundle_id = await upload(owner, guid, files, PYTHON_API);
  expect(await deploy(guid, { bundle_id, canary })).toMatchObject({ code: 0 });
  return bundle_id;
}
const canaryOf = async (guid: string) => (await owner.call('GET', `/v1/content/${guid}/canary`)).body;

/** Locks deploys of a content item when the next one has just begun. */
function lockAtNextDeploy(guid: string) {
  const { deploys } = server.running.services;
  const { run } = deploys;
  return vi.spyOn(deploys, 'run').mockImplementationOnce(async (...task) => {
    await owner.call('PUT', `/v1/content/${guid}/deploy-lock`, { body: { reason: 'freeze' } });
    return run(...task);
  });
}

const liveOf = async (guid: string) => (await owner.call('GET', `/v1/content/${guid}`)).body.bundle_id;
async function reach(guid: string, wanted: string): Promise<void> {
  await expect.poll(async () => (await canaryOf(guid)).state, { interval: 100 }).toBe(wanted);
}
const visit = async (guid: string) => {
  const { status, bytes } = await server.anonymous('GET', `//content/${guid}/`);
  return { status, text: bytes.toString() };
};
async function visits(guid: string, count: number) {
  const all = [];
  for (let i = 0; i < count; i += 1) all.push(await visit(guid));
  return all;
}
/** Waits until both bundles were shown: each visitor gets one at random. */
async function untilBothAreShown(guid: string): Promise<void> {
  const seen = new Set<string>();
  while (seen.size < 2) seen.add((await visit(guid)).text);
}
/** Returns what 12 new visitors are shown, where this is not random. */
const shown = async (guid: string) => [...new Set((await visits(guid, 12)).map(({ text }) => text))].sort();
/** Makes the canary's time pass. */
async function passTime(guid: string): Promise<void> {
  const { db } = server.running.services.storage;
  await db.updateTable('canary').set({ started_time: 1 }).where('content_guid', '=', guid).execute();
}
const actions = async (guid: string) => {
  const admin = await server.administrator();
  const { results } = (await admin.call('GET', '/v1/audit_logs?ascOrder=false&limit=300')).body;
  return results
    .filter(({ event_description: text }: { event_description: string }) => text.includes(guid))
    .map(({ action }: { action: string }) => action);
};

describe('Canary bundle that fails one request in ten', () => {
  if (isAlone) {
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
      const begun = Date.now();
      while ((await canaryOf(guid)).state === 'running' && Date.now() - begun < 60_000) {
        const seen = await visits(guid, 10);
        asked += seen.length;
        failed += seen.filter(({ status }) => status === 500).length;
      }
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
  }

  test('is judged by requests counted before and after a restart', async () => {
    const { guid } = await live();
    await begin(guid, pythonApi('new', 2));
    // Too few for a decision.
    await visits(guid, 14);
    await server.restart();
    const kept = await canaryOf(guid);
    expect(kept).toMatchObject({ state: 'running' });
    expect(kept.live.requests + kept.canary.requests).toBe(14);
    while ((await canaryOf(guid)).state === 'running') await visits(guid, 5);
    const ended = await canaryOf(guid);
    expect(ended.state).toBe('back');
    expect(ended.canary.requests).toBeGreaterThan(kept.canary.requests);
  });
});

if (isAlone) {
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
}

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

if (isAlone) {
  test('a canary whose process keeps crashing is rolled back; the live bundle stays live', async () => {
    const { guid } = await live();
    const own = pythonApi('new')['app.py'].replace('count += 1', 'import os; os._exit(3)');
    await begin(guid, { 'app.py': own });
    while ((await canaryOf(guid)).state === 'running') await visit(guid);
    expect((await canaryOf(guid)).reason).toMatch(/of its processes crashed|of its requests failed/);
    expect(await shown(guid)).toEqual(['old']);
  });
}

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
  test('goes live automatically when its time is over, without another build', async () => {
    const { guid } = await live();
    const bundle = await begin(guid);
    await untilBothAreShown(guid);
    await passTime(guid);
    await reach(guid, 'live');
    expect(await liveOf(guid)).toBe(bundle);
    expect(await shown(guid)).toEqual(['new']);
    const { finish_task_id } = await canaryOf(guid);
    expect((await finishedTask(owner, finish_task_id)).output.join('\n')).not.toMatch(/Extracted|Building/);
    expect(await actions(guid)).toContain('finish_canary');
  });

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

  if (isAlone) {
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
  }

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

  if (isAlone) {
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
  }

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

if (isAlone) {
  describe('Who decided about a canary', () => {
    test('is whoever deploys its bundle, or another one', async () => {
      const { guid } = await live();
      await grant(owner, guid, second, 'owner');
      const bundle_id = await begin(guid);
      const deployed = async (body: object) =>
        finishedTask(
          second,
          (await second.call('POST', `/v1/content/${guid}/deploy`, { body })).body.task_id,
        );
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
}

describe('Concurrent canary decisions', () => {
  test('finishing and rolling back at once has one outcome', async () => {
    const { guid } = await live();
    const before = await liveOf(guid);
    const bundle = await begin(guid);
    const [finish, back] = await Promise.all([
      owner.call('POST', `/v1/content/${guid}/canary/finish`),
      owner.call('POST', `/v1/content/${guid}/canary/back`, { body: { reason: 'It looks odd' } }),
    ]);
    if (finish.status === 200) await finishedTask(owner, finish.body.task_id);
    const ended = await canaryOf(guid);
    const isLive = ended.state === 'live';
    expect(['live', 'back']).toContain(ended.state);
    expect(await liveOf(guid)).toBe(isLive ? bundle : before);
    expect(await shown(guid)).toEqual([isLive ? 'new' : 'old']);
    expect([back.status, finish.status]).toContain(200);
    if (!isLive) expect(ended.reason).toBe(`${owner.username} rolled back: It looks odd`);
    const ends = (await actions(guid)).filter((action: string) => action === 'end_canary');
    expect(ends).toHaveLength(1);
    const again = await owner.call('POST', `/v1/content/${guid}/canary/back`, { body: {} });
    expect(again).toMatchObject({ status: 404, body: { code: 4 } });
  });

  test('a decision that names its canary is refused once another has replaced it, or it has ended', async () => {
    const { guid } = await live();
    const first = await begin(guid);
    const seen = (await canaryOf(guid)).task_id;
    const second = await begin(guid, pythonApi('newer'));
    const decide = (path: string, task_id: string) =>
      owner.call('POST', `/v1/content/${guid}/canary/${path}`, { body: { task_id } });
    const refused = (error: string) => ({ status: 400, body: { code: 100, error } });
    const replaced = `the canary of bundle ${first} has ended: bundle ${second} is a canary now`;
    for (const path of ['finish', 'back']) expect(await decide(path, seen)).toMatchObject(refused(replaced));
    const make = { bundle_id: first, draft_task_id: seen };
    expect(await post(guid, make)).toMatchObject(refused(replaced));
    expect(await canaryOf(guid)).toMatchObject({ state: 'running', bundle_id: second });
    // The canary of other content is none of this.
    const { guid: other } = await live();
    expect(
      await owner.call('POST', `/v1/content/${other}/canary/back`, { body: { task_id: seen } }),
    ).toMatchObject({ status: 404, body: { code: 4 } });
    const { task_id } = await canaryOf(guid);
    expect(await decide('back', task_id)).toMatchObject({ status: 200, body: { state: 'back' } });
    const ended = `the canary of bundle ${second} has ended: ${owner.username} rolled back`;
    for (const path of ['finish', 'back']) expect(await decide(path, task_id)).toMatchObject(refused(ended));
    expect(await post(guid, { bundle_id: second, draft_task_id: task_id })).toMatchObject(refused(ended));
  });

  test('a deploy that names its canary makes that one live', async () => {
    const { guid } = await live();
    const bundle_id = await begin(guid);
    const { task_id: draft_task_id } = await canaryOf(guid);
    expect(await deploy(guid, { bundle_id, draft_task_id })).toMatchObject({ code: 0 });
    expect([await liveOf(guid), (await canaryOf(guid)).state]).toEqual([bundle_id, 'live']);
  });

  test('of two canaries the later one replaces the earlier', async () => {
    const { guid } = await live();
    const [first, other] = [
      await upload(owner, guid, pythonApi('first'), PYTHON_API),
      await upload(owner, guid, pythonApi('other'), PYTHON_API),
    ];
    const tasks = await Promise.all(
      [first, other].map((bundle_id) => post(guid, { bundle_id, canary: { share: 50 } })),
    );
    await Promise.all(tasks.map(({ body }) => finishedTask(owner, body.task_id)));
    const { db } = server.running.services.storage;
    const rows = await db.selectFrom('canary').select('state').where('content_guid', '=', guid).execute();
    expect(rows.map((row) => row.state).sort()).toEqual(['replaced', 'running']);
    await untilBothAreShown(guid);
  });

  test('leaves the drafts of other content alone, whose writers run at the same time', async () => {
    const { db } = server.running.services.storage;
    const { guid: other } = await live();
    await begin(other);
    const expires_time = Date.now() * 1000 + 3_600_000_000;
    await db.updateTable('draft').set({ expires_time }).where('content_guid', '=', other).execute();
    await begin((await live()).guid);
    const draft = db.selectFrom('draft').select('expires_time').where('content_guid', '=', other);
    expect(await draft.execute()).toEqual([{ expires_time }]);
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

  test('the bundle and draft of a canary cannot be deleted; deleting its content is allowed', async () => {
    const [{ guid }, { guid: other }] = [await live(), await live()];
    const bundle = await begin(guid);
    const remove = (path: string) => owner.call('DELETE', `/v1/content/${path}`);
    expect(await remove(`${guid}/bundles/${bundle}`)).toMatchObject({ body: { code: 100 } });
    expect(await remove(`${guid}/drafts/${bundle}`)).toMatchObject({ body: { code: 100 } });
    await begin(other, pythonApi('new', 2));
    await visits(guid, 20);
    expect((await remove(guid)).status).toBe(204);
    while ((await canaryOf(other)).state === 'running') await visits(other, 5);
    expect((await canaryOf(other)).state).toBe('back');
  });
});

if (isAlone) {
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
}
