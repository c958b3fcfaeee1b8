// Covers clients of others: rsconnect for R as recorded, its later releases and rsconnect-python as in their source.
import {
  finishedTask,
  makeArchive,
  refused,
  startTestServer,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const archive = makeArchive({ 'index.html': 'hello' });
const GZIP = { 'Content-Type': 'application/x-gzip' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

let server: TestServer;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

/** Sends JSON over several indented lines, as R does. */
const post = (person: Person, path: string, body: unknown) =>
  person.call('POST', path, { raw: JSON.stringify(body, null, 2), headers: JSON_TYPE });

async function create(person: Person, name: string): Promise<{ id: string; guid: string; url: string }> {
  return (await post(person, '/applications', { name })).body;
}
const find = (person: Person, query: string) => person.call('GET', `/applications?${query}`);

/** Reads a task from where the last response ended, as clients do, until it is finished. */
async function readToTheEnd(id: string) {
  const lines: string[] = [];
  for (let from = 0; ;) {
    // The client sleeps between requests. Waiting with the GA form replaces that.
    const { body } = await owner.call('GET', `/tasks/${id}?first_status=${from}`);
    lines.push(...body.status);
    from = body.last_status;
    if (body.finished) return { ...body, lines };
    await finishedTask(owner, id);
  }
}

describe('rsconnect for R, to 0.8', () => {
  test('registers an account with a key', async () => {
    const { status, body } = await owner.call('GET', '/users/current');
    const user = (await owner.call('GET', '/v1/user')).body;
    expect([status, body]).toEqual([200, { id: owner.guid, ...user }]);
    const headers = { Authorization: 'Key nonsense' };
    expect(await server.anonymous('GET', '/users/current', { headers })).toMatchObject(refused(401, 24));
  });

  test('deploys a directory, reads it, and deploys again by the stored id', async () => {
    const query = `filter=account_id:${owner.guid}&filter=name:r-page&count=100&offset=0`;
    expect((await find(owner, query)).body).toEqual({
      applications: [],
      count: 0,
      total: 0,
      continuation: '',
    });
    const made = await create(owner, 'r-page');
    expect(made).toMatchObject({ id: made.guid, name: 'r-page', title: null, build_status: 'not deployed' });
    expect(made.url).toBe(`${server.url}/content/${made.guid}/`);
    for (const id of [made.id, (await owner.call('GET', `/applications/${made.id}`)).body.id]) {
      const upload = { raw: archive, headers: GZIP };
      const bundle = (await owner.call('POST', `/applications/${id}/upload`, upload)).body;
      const task = (await post(owner, `/applications/${id}/deploy`, { bundle: Number(bundle.id) })).body;
      const end = await readToTheEnd(task.id);
      expect(end).toMatchObject({ id: task.id, code: 0, error: '', finished: true });
      expect(end.lines[0]).toBe('Building static content...');
      expect(end.last_status).toBe(end.lines.length);
      const after = (await find(owner, query)).body;
      expect(after).toMatchObject({ count: 1, total: 1 });
      expect(after.applications[0]).toMatchObject({ id, bundle_id: bundle.id, build_status: 'deployed' });
    }
    const { config_url, logs_url } = (await owner.call('GET', `/applications/${made.id}/config`)).body;
    expect([config_url, logs_url]).toEqual(['', '/logs'].map((tab) => `${dashboardOf(made.id)}${tab}`));
  });

  test('a failed deploy returns its code and its error', async () => {
    const { id } = await create(owner, 'r-failing');
    const raw = makeArchive({ 'model/saved_model.pb': 'x' }, { appmode: 'tensorflow-saved-model' });
    const bundle = (await owner.call('POST', `/applications/${id}/upload`, { raw, headers: GZIP })).body;
    const task = (await post(owner, `/applications/${id}/deploy`, { bundle: Number(bundle.id) })).body;
    const end = await readToTheEnd(task.id);
    expect(end.code).not.toBe(0);
    expect(end.error).not.toBe('');
  });

  test('a restart with an empty array deploys the active bundle', async () => {
    const { id } = await create(owner, 'r-restart');
    const restart = () => post(owner, `/applications/${id}/deploy`, { bundle: [] });
    expect(await restart()).toMatchObject(refused(404, 28));
    const bundle = (await owner.call('POST', `/applications/${id}/upload`, { raw: archive })).body;
    const { status, body } = await restart();
    expect([status, body.task_id]).toEqual([200, body.id]);
    expect(await readToTheEnd(body.task_id)).toMatchObject({ code: 0 });
    expect((await owner.call('GET', `/applications/${id}`)).body.bundle_id).toBe(bundle.id);
  });

  test('finds an application by name only among those of one owner', async () => {
    const other = await server.person('publisher');
    const theirs = await create(other, 'same-name');
    const admin = await server.administrator();
    const mine = await create(admin, 'same-name');
    const byName = async (person: Person) =>
      (await find(admin, `filter=account_id:${person.guid.toUpperCase()}&filter=name:same-name`)).body;
    expect((await byName(admin)).applications.map(({ id }: { id: string }) => id)).toEqual([mine.id]);
    expect((await byName(other)).applications.map(({ id }: { id: string }) => id)).toEqual([theirs.id]);
    expect((await find(owner, `filter=account_id:${other.guid}`)).body.total).toBe(0);
  });

  test('returns pages of lists with their total', async () => {
    const lister = await server.person('publisher');
    for (const name of ['page-a', 'page-b', 'page-c']) await create(lister, name);
    const page = async (offset: number) =>
      (await find(lister, `filter=account_id:${lister.guid}&count=2&offset=${offset}`)).body;
    const names = ({ applications }: { applications: { name: string }[] }) => applications.map((a) => a.name);
    const pages = [await page(0), await page(2), await page(4)];
    expect(pages.map(({ count, total }) => [count, total])).toEqual([
      [2, 3],
      [1, 3],
      [0, 3],
    ]);
    expect(pages.flatMap(names)).toEqual(['page-a', 'page-b', 'page-c']);
  });

  test.each(['owner:me', 'account_id:17', 'name:like:x', 'nonsense'])(
    'rejects the filter %s',
    async (filter) => {
      expect(await find(owner, `filter=${filter}`)).toMatchObject(refused(400, 32));
    },
  );

  test('rejects a bundle that is neither a number nor its digits', async () => {
    const { id } = await create(owner, 'r-no-bundle');
    for (const bundle of [0, 1.5, -1, 'x', {}, [1], true]) {
      expect(await post(owner, `/applications/${id}/deploy`, { bundle })).toMatchObject(refused(400, 3));
    }
  });

  test('rejects a numeric id of another server', async () => {
    expect(await owner.call('GET', '/applications/17')).toMatchObject(refused(400, 3));
  });
});

test('rsconnect for R, from 1.0: finds content created by the v1 API by its id', async () => {
  const { id, guid, content_url } = (await post(owner, '/v1/content', { name: 'r-today' })).body;
  const bundles = `/v1/content/${guid}/bundles`;
  const bundle = (await owner.call('POST', bundles, { raw: archive, headers: GZIP })).body;
  const { task_id } = (await post(owner, `/v1/content/${guid}/deploy`, { bundle_id: bundle.id })).body;
  expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
  const found = (await owner.call('GET', `/applications/${id}`)).body;
  expect(found).toMatchObject({ guid, url: content_url, bundle_id: bundle.id });
});

test('rsconnect-python to 1.28.0: chooses a name, sets a title and deploys a bundle', async () => {
  const headers = { ...JSON_TYPE };
  expect((await owner.call('GET', '/me', { headers })).body.username).toBe(owner.username);
  await post(owner, '/applications', { name: 'py-report-1', title: 'Umsätze' });
  const search = async (text: string) => (await find(owner, `search=${text}&count=100`)).body;
  expect((await search('PY-REPORT')).applications).toMatchObject([{ name: 'py-report-1' }]);
  expect((await search('ums%C3%84tze')).total).toBe(1);
  expect((await search('nothing-like-it')).total).toBe(0);
  const { id, guid } = await create(owner, 'py-report-2');
  const titled = await owner.call('POST', `/applications/${id}`, { body: { title: 'A report' }, headers });
  expect(titled.body).toMatchObject({ id, guid, title: 'A report' });
  // The archive has no Content-Type.
  const bundle = (await owner.call('POST', `/applications/${id}/upload`, { raw: archive })).body;
  const task = (await post(owner, `/applications/${id}/deploy`, { bundle: bundle.id })).body;
  expect(await finishedTask(owner, task.id)).toMatchObject({ code: 0 });
  const validated = await server.anonymous('GET', `//content/${guid}/`);
  expect(validated.status).toBeLessThan(500);
});

test('rsconnect-python from 1.28.1 keeps the id of new content and finds it by that', async () => {
  const { id, guid, title, content_url } = (await post(owner, '/v1/content', { name: 'py-today' })).body;
  expect([id, title]).toEqual([guid, null]);
  const headers = JSON_TYPE;
  await owner.call('PATCH', `/v1/content/${guid}`, { body: { title: 'Today' }, headers });
  const bundle = (await owner.call('POST', `/v1/content/${guid}/bundles`, { raw: archive })).body;
  const { task_id } = (await post(owner, `/v1/content/${guid}/deploy`, { bundle_id: bundle.id })).body;
  expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
  const found = (await owner.call('GET', `/v1/content/${id}`)).body;
  expect(found).toMatchObject({ guid, title: 'Today', content_url, bundle_id: bundle.id });
});

test('no form of a deploy shows a draft to visitors until it is activated', async () => {
  for (const [name, path, number] of [
    ['py-draft-1', '/v1/content/{id}/deploy', 'bundle_id'],
    ['py-draft-2', '/v1/content/{id}/build', 'bundle_id'],
    ['py-draft-3', '/applications/{id}/deploy', 'bundle'],
  ] as const) {
    const { id } = await create(owner, name);
    const bundle = (await owner.call('POST', `/applications/${id}/upload`, { raw: archive })).body.id;
    const deploy = path.replace('{id}', id);
    const { body } = await post(owner, deploy, { [number]: bundle, activate: false });
    expect(await finishedTask(owner, body.task_id)).toMatchObject({ code: 0 });
    expect((await owner.call('GET', `/v1/content/${id}`)).body.bundle_id).toBe(null);
    const live = (await post(owner, deploy, { [number]: bundle, activate: true })).body;
    expect(await finishedTask(owner, live.task_id)).toMatchObject({ code: 0 });
    expect((await owner.call('GET', `/v1/content/${id}`)).body.bundle_id).toBe(bundle);
  }
});

test('links in the form of other servers redirect to the dashboard', async () => {
  for (const path of ['//connect', '//connect/']) {
    const { status, headers } = await server.anonymous('GET', path);
    expect([status, headers.get('location')]).toEqual([302, '/__dashboard__/']);
  }
});

function dashboardOf(guid: string): string {
  return `${server.url}/__dashboard__/content/${guid}`;
}
