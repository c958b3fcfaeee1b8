// Covers decisions about canaries that the database makes: what is counted, and who is first. On each engine.
import {
  finishedTask,
  pythonApi,
  PYTHON_API,
  startTestServer,
  upload,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canarySteps } from './canary-steps.ts';

let server: TestServer;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer({ settings: {} });
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

const {
  live,
  post,
  begin,
  canaryOf,
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

test('a canary is judged by requests counted before and after a restart', async () => {
  const { guid } = await live();
  await begin(guid, pythonApi('new', 2));
  // Too few for a decision.
  await visits(guid, 14);
  await server.restart();
  const kept = await canaryOf(guid);
  expect(kept).toMatchObject({ state: 'running' });
  expect(kept.live.requests + kept.canary.requests).toBe(14);
  await visitUntilEnd(guid, 5);
  const ended = await canaryOf(guid);
  expect(ended.state).toBe('back');
  expect(ended.canary.requests).toBeGreaterThan(kept.canary.requests);
});

test('a canary goes live automatically when its time is over, without another build', async () => {
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

  test('the bundle and draft of a canary cannot be deleted; deleting its content is allowed', async () => {
    const [{ guid }, { guid: other }] = [await live(), await live()];
    const bundle = await begin(guid);
    const remove = (path: string) => owner.call('DELETE', `/v1/content/${path}`);
    expect(await remove(`${guid}/bundles/${bundle}`)).toMatchObject({ body: { code: 100 } });
    expect(await remove(`${guid}/drafts/${bundle}`)).toMatchObject({ body: { code: 100 } });
    await begin(other, pythonApi('new', 2));
    await visits(guid, 20);
    expect((await remove(guid)).status).toBe(204);
    await visitUntilEnd(other, 5);
    expect((await canaryOf(other)).state).toBe('back');
  });
});
