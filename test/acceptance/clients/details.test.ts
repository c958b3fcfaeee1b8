// Covers details that current clients rely on, each at the place where it was found.
import { createHash } from 'node:crypto';
import {
  finishedTask,
  makeArchive,
  publish,
  refused,
  startTestServer,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let server: TestServer;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

async function create(name: string): Promise<string> {
  return (await owner.call('POST', '/v1/content', { body: { name } })).body.guid;
}

describe('Manifest of pins for Python, which lists files by name', () => {
  const manifest = (files: unknown) =>
    JSON.stringify({
      version: 1,
      metadata: { appmode: 'static', content_category: 'pin' },
      packages: null,
      files,
    });

  test('is accepted', async () => {
    const guid = await create('listed-files');
    const raw = makeArchive({ 'manifest.json': manifest(['index.html', 'data.txt']), 'index.html': 'a pin' });
    const { status, body } = await owner.call('POST', `/v1/content/${guid}/bundles`, { raw });
    expect(status).toBe(200);
    const { task_id } = (
      await owner.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id: body.id } })
    ).body;
    expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
    expect((await owner.call('GET', `/v1/content/${guid}`)).body.content_category).toBe('pin');
  });

  test('is rejected if the list holds anything but names', async () => {
    const guid = await create('listed-others');
    for (const files of [[1], [{}], 'index.html', 7]) {
      const raw = makeArchive({ 'manifest.json': manifest(files), 'index.html': 'x' });
      const response = await owner.call('POST', `/v1/content/${guid}/bundles`, { raw });
      expect(response).toMatchObject(refused(400, 38));
    }
  });
});

test('a bundle has archive checksums in the v1 form but not in the experimental form', async () => {
  const guid = await create('checksums');
  const raw = makeArchive({ 'index.html': 'checked' });
  const sum = (algorithm: string) => createHash(algorithm).update(raw).digest('hex');
  const made = (await owner.call('POST', `/v1/content/${guid}/bundles`, { raw })).body;
  const metadata = { archive_md5: sum('md5'), archive_sha1: sum('sha1') };
  expect(made.metadata).toEqual(metadata);
  expect((await owner.call('GET', `/v1/content/${guid}/bundles/${made.id}`)).body.metadata).toEqual(metadata);
  expect((await owner.call('GET', `/v1/content/${guid}/bundles`)).body).toMatchObject([{ metadata }]);
  for (const path of [`bundles/${made.id}`, `content/${guid}/bundles`]) {
    const { status, bytes } = await owner.call('GET', `/v1/experimental/${path}`);
    expect([status, bytes.toString().includes('metadata')]).toEqual([200, false]);
  }
});

test('deleting a vanity path succeeds even if there is none', async () => {
  const guid = await create('no-vanity');
  const path = `/v1/content/${guid}/vanity`;
  expect((await owner.call('DELETE', path)).status).toBe(204);
  await owner.call('PUT', path, { body: { path: '/some-vanity/' } });
  expect((await owner.call('DELETE', path)).status).toBe(204);
  expect(await owner.call('GET', path)).toMatchObject(refused(404, 4));
  const stranger = await server.person('publisher');
  expect(await stranger.call('DELETE', path)).toMatchObject(refused(403, 19));
});

test('ignores extra slashes in server paths, but not in paths of content', async () => {
  const { key } = owner;
  const headers = { Authorization: `Key ${key}` };
  for (const path of ['//__api__/v1/user', '/__api__//v1/user', '///__api__/v1//user//']) {
    const response = await fetch(server.url + path, { headers, redirect: 'manual' });
    expect([path, response.status, await response.json()]).toMatchObject([path, 200, { guid: owner.guid }]);
  }
  const kept = await fetch(`${server.url}//__api__//v1/content?name=a//b`, { headers });
  expect([kept.status, await kept.json()]).toEqual([200, []]);
  const { guid } = await publish(owner, { 'index.html': 'x', 'a/b.txt': 'y' });
  expect((await fetch(`${server.url}//content//${guid}/a/b.txt`)).status).toBe(200);
  expect((await fetch(`${server.url}/content/${guid}/a//b.txt`)).status).toBe(404);
});

test('new API keys are unique and have 32 letters and digits', async () => {
  const made = await Promise.all(
    [1, 2, 3].map((n) => owner.call('POST', `/v1/users/${owner.guid}/keys`, { body: { name: `key ${n}` } })),
  );
  const keys = made.map(({ body }) => body.key as string);
  for (const key of keys) {
    expect(key).toMatch(/^[A-Za-z0-9]{32}$/);
    const user = await server.anonymous('GET', '/v1/user', { headers: { Authorization: `Key ${key}` } });
    expect(user.body.guid).toBe(owner.guid);
  }
  expect(new Set(keys).size).toBe(3);
});

test('the status of a job is a number, 0 while it runs', async () => {
  const app = 'def app(environ, start):\n    start("200 OK", [])\n    return [b"x"]\n';
  const metadata = { appmode: 'python-api', entrypoint: 'app:app' };
  const { guid, path } = await publish(owner, { 'app.py': app }, { metadata });
  await owner.call('PATCH', `/v1/content/${guid}`, { body: { idle_timeout: 600 } });
  await owner.call('GET', path);
  const states = async () =>
    (await owner.call('GET', `/v1/content/${guid}/jobs`)).body.map(
      ({ status }: { status: number }) => status,
    );
  expect(await states()).toContain(0);
  await server.restart();
  expect(new Set(await states())).toEqual(new Set([2]));
});

describe('The key in X-RSC-Authorization, as behind a proxy that uses Authorization itself', () => {
  const behind = (key: string) => ({
    Authorization: 'Basic cHJveHk6eA==',
    'X-RSC-Authorization': `Key ${key}`,
  });

  test('is that of the request, in the API and for content', async () => {
    const { guid } = await publish(owner, { 'index.html': 'kept from others' });
    const headers = behind(owner.key);
    expect((await server.anonymous('GET', '/v1/user', { headers })).body.guid).toBe(owner.guid);
    await owner.call('PATCH', `/v1/content/${guid}`, { body: { access_type: 'acl' } });
    const page = await fetch(`${server.url}/content/${guid}/`, { headers });
    expect([page.status, await page.text()]).toEqual([200, 'kept from others']);
  });

  test('is refused if it is wrong, even beside a right one in Authorization', async () => {
    const headers = { ...behind('wrong'), Authorization: `Key ${owner.key}` };
    expect(await server.anonymous('GET', '/v1/user', { headers })).toMatchObject(refused(401, 24));
  });
});

test('content has its times in whole seconds: connectwidgets for R reads no others', async () => {
  const { guid } = await publish(owner, { 'index.html': 'timed' });
  const times = {
    created_time: expect.stringMatching(/T\d\d:\d\d:\d\dZ$/),
    last_deployed_time: expect.stringMatching(/T\d\d:\d\d:\d\dZ$/),
  };
  expect((await owner.call('GET', '/v1/content?include=tags,owner')).body).toContainEqual(
    expect.objectContaining({ guid, ...times }),
  );
  expect((await owner.call('GET', `/v1/content/${guid}`)).body).toMatchObject(times);
});
