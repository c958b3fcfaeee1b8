// Covers requests of older clients about an application, its variant and its schedule, and what this server lacks.
import { publish, refused, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { updateContentRow } from '../../packages/server/src/content/store.ts';
import { insertRendering } from '../../packages/server/src/runtime/rendering-store.ts';

let server: TestServer;
let owner: Person;
let viewer: Person;
let guid: string;
let app: string;
let count = 0;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.person('publisher');
  viewer = await server.person('viewer');
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  count += 1;
  guid = (await owner.call('POST', '/v1/content', { body: { name: `older-${count}` } })).body.guid;
  app = `/applications/${guid}`;
});

test('sets, changes and removes the role of users and groups', async () => {
  const post = (who: string, app_role: string, kind = 'users') =>
    owner.call('POST', `${app}/${kind}`, { body: { guid: who, app_role } });
  const colleague = await server.person('publisher');
  expect((await post(colleague.guid, 'owner')).status).toBe(204);
  expect((await post(viewer.guid, 'viewer')).status).toBe(204);
  expect(await post(viewer.guid, 'owner')).toMatchObject(refused(403, 33));
  expect((await post(colleague.guid, 'viewer')).status).toBe(204);
  const users = (await owner.call('GET', `${app}/users`)).body;
  expect(users).toEqual([
    expect.objectContaining({ guid: colleague.guid, user_role: 'publisher', app_role: 'viewer' }),
    expect.objectContaining({ guid: viewer.guid, app_role: 'viewer' }),
  ]);
  expect(Object.keys(users[0])).not.toContain('email');
  const group = (await owner.call('POST', '/v1/groups', { body: { name: 'Readers' } })).body.guid;
  expect((await post(group, 'viewer', 'groups')).status).toBe(204);
  expect((await owner.call('GET', `${app}/groups`)).body).toEqual([
    { guid: group, name: 'Readers', app_role: 'viewer' },
  ]);
  expect((await owner.call('DELETE', `${app}/users/${viewer.guid}`)).status).toBe(204);
  expect(await owner.call('DELETE', `${app}/users/${viewer.guid}`)).toMatchObject(refused(404, 17));
  expect((await owner.call('DELETE', `${app}/groups/${group}`)).status).toBe(204);
  expect(await viewer.call('GET', `/v1/content/${guid}`)).toMatchObject(refused(403, 19));
});

test('sets, keeps (null) and removes variables; a stale version returns error 106', async () => {
  const path = `${app}/environment`;
  const post = (body: object) => owner.call('POST', path, { body });
  expect((await owner.call('GET', path)).body).toEqual({ app_guid: guid, version: 0, values: {} });
  const first = (await post({ values: { B: '1', A: '2' }, version: 0 })).body;
  expect(first).toEqual({ app_guid: guid, version: expect.any(Number), values: { A: null, B: null } });
  expect(first.version).toBeGreaterThan(0);
  const second = (await post({ values: { A: null, C: '3' }, version: first.version })).body;
  expect(second.values).toEqual({ A: null, C: null });
  expect(await post({ values: {}, version: first.version })).toMatchObject(refused(409, 106));
  expect(await post({ values: { 'LD\nX': 'x' } })).toMatchObject(refused(409, 108));
  expect(await post({ values: { A: 1 } })).toMatchObject(refused(400, 25));
  expect((await post({ values: {} })).body.version).toBe(0);
});

test('lists processes with numeric times', async () => {
  const { jobs } = server.running.services;
  const job = await jobs.open({ content_guid: guid, bundle_id: 7, tag: 'run_app' });
  await job.begin(815, null);
  await job.end({ code: 1, signal: null, outOfMemory: false, isLost: false, message: 'ended with code 1' });
  const { body } = await owner.call('GET', `${app}/jobs`);
  expect(body).toEqual([
    {
      id: job.key,
      key: job.key,
      pid: 815,
      app_id: guid,
      app_guid: guid,
      bundle_id: 7,
      tag: 'run_app',
      start_time: expect.any(Number),
      end_time: expect.any(Number),
      exit_code: 1,
      finalized: true,
    },
  ]);
});

test('runas accepts the server’s account, and rejects the current user and root', async () => {
  const admin = await server.administrator();
  const post = (body: object) => admin.call('POST', `${app}/runas`, { body });
  expect((await post({ run_as: null, run_as_current_user: false })).body).toMatchObject({ guid });
  expect(await post({ run_as: null, run_as_current_user: true })).toMatchObject(refused(400, 54));
  expect(await post({ run_as: 'root' })).toMatchObject(refused(400, 56));
});

/** Creates a document in the state after its first render. */
async function makeDocument(): Promise<{ id: number; document: string; bundle: number }> {
  const { guid: document } = await publish(owner, { 'index.html': 'x' });
  const bundle = Number((await owner.call('GET', `/v1/content/${document}`)).body.bundle_id);
  const { storage, clock } = server.running.services;
  const row = { content_guid: document, bundle_id: bundle, task_id: 'task', created_time: clock.now() };
  const id = await insertRendering(storage.db, row);
  await storage.write((tx) =>
    updateContentRow(tx, document, { rendering_id: id, variant_key: 'abcd1234', app_mode: 'rmd-static' }),
  );
  return { id, document, bundle };
}

test('a document has one variant with numeric ids as in connectapi; a page has none', async () => {
  expect((await owner.call('GET', `${app}/variants`)).body).toEqual([]);
  expect(await owner.call('GET', `/variants/${guid}`)).toMatchObject(refused(404, 4));
  const { id, document, bundle } = await makeDocument();
  const [variant] = (await owner.call('GET', `/applications/${document}/variants`)).body;
  expect(variant).toMatchObject({
    id: bundle,
    app_id: null,
    key: 'abcd1234',
    is_default: true,
    rendering_id: id,
  });
  expect((await owner.call('GET', `/variants/${variant.id}`)).body).toEqual(variant);
  expect((await owner.call('GET', `/variants/${variant.id}/renderings`)).body).toEqual([
    expect.objectContaining({ id, app_id: null, app_guid: document, variant_id: bundle, active: true }),
  ]);
  expect((await owner.call('GET', `/variants/${document.toUpperCase()}`)).body).toEqual(variant);
  expect(await owner.call('GET', '/variants/999999999')).toMatchObject(refused(404, 4));
  expect(await owner.call('GET', '/variants/1.5')).toMatchObject(refused(400, 3));
  await owner.call('PATCH', `/v1/content/${document}`, { body: { access_type: 'acl' } });
  const stranger = await server.person('publisher');
  for (const one of [variant.id, document])
    expect(await stranger.call('GET', `/variants/${one}`)).toMatchObject(refused(403, 19));
  expect(await owner.call('POST', `/variants/${guid}/render`)).toMatchObject(refused(404, 28));
});

test('sets, reads, changes and removes a schedule through the variant', async () => {
  const { document } = await makeDocument();
  const ofVariant = () => owner.call('GET', `/variants/${document}/schedules`);
  expect((await ofVariant()).body).toEqual([]);
  const body = {
    app_id: document,
    variant_id: document,
    type: 'dayofweek',
    schedule: '{"Days":[1,3]}',
    start_time: '2026-03-04T07:20:00Z',
    timezone: 'Europe/Zurich',
    activate: true,
    email: false,
  };
  const made = await owner.call('POST', '/schedules', { body });
  expect(made).toMatchObject({
    status: 200,
    body: { id: document, type: 'dayofweek', schedule: '{"Days":[1,3]}', timezone: 'Europe/Zurich' },
  });
  expect((await ofVariant()).body).toEqual([made.body]);
  expect((await owner.call('GET', `/v1/content/${document}/schedule`)).body.cron).toBe('20 8 * * 1,3');
  expect(await owner.call('POST', '/schedules', { body })).toMatchObject(refused(409, 102));
  expect(await owner.call('POST', '/schedules', { body: { ...body, variant_id: guid } })).toMatchObject(
    refused(400, 72),
  );
  const change = (fields: object) =>
    owner.call('POST', `/schedules/${document}`, { body: { ...made.body, ...fields } });
  expect((await change({ type: 'hour', schedule: { N: 2 } })).body).toMatchObject({
    type: 'hour',
    schedule: '{"N":2}',
    timezone: 'Europe/Zurich',
  });
  expect(await change({ type: 'day', schedule: { N: 3 } })).toMatchObject(refused(400, 25));
  expect(await change({ start_time: '2010-01-01T00:00:00Z' })).toMatchObject(refused(400, 37));
  expect(await change({ start_time: '2256-01-01T00:00:00Z' })).toMatchObject(refused(400, 136));
  expect(await change({ schedule: 'every day' })).toMatchObject(refused(400, 25));
  expect(await change({ email: true })).toMatchObject(refused(400, 39));
  expect(await change({ activate: false })).toMatchObject(refused(400, 39));
  expect(await viewer.call('DELETE', `/schedules/${document}`)).toMatchObject(refused(403, 21));
  expect((await owner.call('DELETE', `/schedules/${document}`)).status).toBe(204);
  expect(await owner.call('DELETE', `/schedules/${document}`)).toMatchObject(refused(404, 4));
});

test.each(['with the whole schedule, as posit-sdk sends it', 'without its start'])(
  'a change of a schedule %s leaves the time of its runs',
  async (how) => {
    const { document } = await makeDocument();
    const cron = async () => (await owner.call('GET', `/v1/content/${document}/schedule`)).body.cron;
    const body = { variant_id: document, type: 'day', schedule: { N: 1 }, timezone: 'Europe/Zurich' };
    const start_time = '2026-03-04T07:20:00Z';
    const made = (await owner.call('POST', '/schedules', { body: { ...body, start_time } })).body;
    expect(made.start_time).toBe(made.next_run);
    const change = { type: 'weekday', schedule: {} };
    const sent = how.startsWith('with ') ? { ...made, ...change } : change;
    await owner.call('POST', `/schedules/${document}`, { body: sent });
    expect(await cron()).toBe('20 8 * * 1-5');
  },
);

test('sets a schedule by the number of the variant, as connectapi does without app_id', async () => {
  const { document, bundle } = await makeDocument();
  const body = { app_id: null, variant_id: bundle, type: 'day', schedule: { N: 1 } };
  expect(await owner.call('POST', '/schedules', { body: { ...body, app_id: guid } })).toMatchObject(
    refused(400, 72),
  );
  expect((await owner.call('POST', '/schedules', { body })).body).toMatchObject({ id: document });
  expect((await owner.call('GET', `/variants/${bundle}/schedules`)).body).toHaveLength(1);
  const wrong = { ...body, variant_id: -1 };
  expect(await owner.call('POST', '/schedules', { body: wrong })).toMatchObject(refused(400, 3));
});

describe('GET of schedules in an interval', () => {
  const path = '/v1/experimental/schedules';
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const asked = (who: Person, start: string, end: string) => who.call('GET', `${path}?${query(start, end)}`);
  const query = (start: string, end: string) =>
    new URLSearchParams({ start, end, detailed: 'false' }).toString();

  test('returns the schedules visible to the caller with their first run in it', async () => {
    const { document } = await makeDocument();
    await owner.call('PATCH', `/v1/content/${document}`, { body: { access_type: 'acl' } });
    const tomorrow = new Date(Date.now() + 86_400_000);
    const cron = `0 12 ${tomorrow.getUTCDate()} * *`;
    await owner.call('PUT', `/v1/content/${document}/schedule`, { body: { cron, timezone: 'UTC' } });
    const of = async (who: Person, start: string, end: string) =>
      (await asked(who, start, end)).body.schedules.filter((one: { id: string }) => one.id === document);
    const [found] = await of(owner, at(0).replace('Z', '+00:00'), at(72));
    expect(found).toMatchObject({
      app_id: document,
      next_run: `${tomorrow.toISOString().slice(0, 10)}T12:00:00.000Z`,
    });
    expect(await of(owner, at(72), at(96))).toEqual([]);
    const stranger = await server.person('publisher');
    expect(await of(stranger, at(0), at(72))).toEqual([]);
    expect((await owner.call('GET', path)).body.schedules).toContainEqual(found);
  });

  test.each([
    [137, -1, 24],
    [137, 24 * 366 * 6, 24 * 366 * 6 + 1],
    [138, 2, 1],
    [139, 1, 24 * 367],
  ])('rejects an interval out of bounds with error %i', async (code, start, end) => {
    expect(await asked(owner, at(start), at(end))).toMatchObject(refused(400, code));
  });

  test('rejects an interval without one end with error 140', async () => {
    for (const half of [`start=${at(1)}`, `end=${at(1)}`])
      expect(await owner.call('GET', `${path}?${half}`)).toMatchObject(refused(400, 140));
    expect(await owner.call('GET', `${path}?start=now&end=later`)).toMatchObject(refused(400, 136));
  });
});

test('build deploys the bundle again', async () => {
  const { guid: page } = await publish(owner, { 'index.html': 'x' });
  const { body } = await owner.call('POST', `/v1/content/${page}/build`, { body: { bundle_id: null } });
  const task = await owner.call('GET', `/v1/tasks/${body.task_id}?wait=20`);
  expect(task.body).toMatchObject({ finished: true, code: 0 });
  // The only bundle is active, so none can become a draft.
  const draft = await owner.call('POST', `/v1/content/${page}/build`, { body: { activate: false } });
  expect(draft).toMatchObject(refused(400, 39));
});

test('Git, lockfiles, images and OAuth integrations are absent by default', async () => {
  const get = (path: string) => owner.call('GET', path);
  expect(await get(`/v1/content/${guid}/repository`)).toMatchObject(refused(404, 4));
  const put = await owner.call('PUT', `/v1/content/${guid}/repository`, {
    body: { repository: 'https://git.example/x' },
  });
  expect(put).toMatchObject(refused(400, 145));
  expect(await get(`/v1/content/${guid}/lockfile`)).toMatchObject(refused(404, 4));
  expect((await get('/v1/environments')).body).toEqual([]);
  expect(await get(`/v1/environments/${guid}`)).toMatchObject(refused(404, 4));
  expect((await viewer.call('GET', '/v1/oauth/integrations')).body).toEqual([]);
  expect((await get(`/v1/content/${guid}/oauth/integrations/associations`)).body).toEqual([]);
});
