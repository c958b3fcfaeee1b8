// Covers states of content, bundles and the disk, and the responses then (contract, sections 3 and 4).
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { makeArchive, refused, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

const page = makeArchive({ 'index.html': '<h1>hello</h1>' });

let server: TestServer;
let admin: Person;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer();
  [admin, owner] = [await server.administrator(), await server.person('publisher')];
});
afterAll(() => server[Symbol.asyncDispose]());

let count = 0;
async function withBundle(): Promise<{ guid: string; bundle: string }> {
  count += 1;
  const { guid } = (await owner.call('POST', '/v1/content', { body: { name: `state-${count}` } })).body;
  const { id } = (await owner.call('POST', `/v1/content/${guid}/bundles`, { raw: page })).body;
  return { guid, bundle: id };
}

/** No operation makes content git-managed, so this sets the column. */
async function handToGit(guid: string): Promise<void> {
  const { db } = server.running.services.storage;
  await db.updateTable('content').set({ git_managed: 1 }).where('guid', '=', guid).execute();
}

test('content managed by Git rejects uploads, and deploys only when Git is enabled', async () => {
  const { guid } = await withBundle();
  await handToGit(guid);
  for (const path of [`/v1/experimental/content/${guid}/upload`, `/v1/content/${guid}/bundles`]) {
    expect(await owner.call('POST', path, { raw: page })).toMatchObject(refused(409, 144));
  }
  const deploy = () => owner.call('POST', `/v1/experimental/content/${guid}/deploy`);
  expect(await deploy()).toMatchObject({
    ...refused(400, 145),
    body: { code: 145, error: expect.stringContaining('Applications.GitEnabled') },
  });
  await server.restart({ 'Applications.GitEnabled': true });
  expect(await deploy()).toMatchObject({ status: 200 });
  await server.restart();
});

test('a bundle that is being deployed cannot be deleted', async () => {
  const { guid, bundle } = await withBundle();
  const { storage, tasks } = server.running.services;
  const subject = { kind: 'deploy', content_guid: guid, bundle_id: Number(bundle), user_guid: owner.guid };
  const task = await storage.write((tx) => tasks.create(tx, subject as Parameters<typeof tasks.create>[1]));
  const remove = () => owner.call('DELETE', `/v1/experimental/bundles/${bundle}`);
  expect(await remove()).toMatchObject(refused(400, 100));
  await storage.db.updateTable('task').set({ finished: 1 }).where('id', '=', task).execute();
  expect((await remove()).status).toBe(204);
});

test('content runs only as accounts of the configured group', async () => {
  const { guid } = await withBundle();
  await server.restart({ 'Applications.RunAsGroup': 'no-such-group' });
  const change = await admin.call('PATCH', `/v1/content/${guid}`, { body: { run_as: 'nobody' } });
  expect(change).toMatchObject(refused(400, 58));
  await server.restart();
});

test('an upload that cannot be written returns error 134 and leaves no bundle', async () => {
  const { guid } = await withBundle();
  const directory = join(server.dataDir, 'bundles');
  await rm(directory, { recursive: true });
  await writeFile(directory, 'in the way');
  const response = await owner.call('POST', `/v1/content/${guid}/bundles`, { raw: page });
  expect(response).toMatchObject(refused(400, 134));
  expect((await owner.call('GET', `/v1/content/${guid}/bundles`)).body).toHaveLength(1);
  await rm(directory);
  // Over PostgreSQL, a server does not start beside bundles that are elsewhere.
  await mkdir(directory);
  await server.restart();
});

test('a bundle whose file is missing has size zero (section 2, Bundle) and no archive', async () => {
  const { guid, bundle } = await withBundle();
  const path = `/v1/experimental/bundles/${bundle}`;
  expect((await owner.call('GET', path)).body.size).toBe(page.length);
  await rm(join(server.dataDir, 'bundles', `${bundle}.tar.gz`));
  // Responses are cached briefly while the database is unchanged. This is a change.
  await owner.call('PATCH', `/v1/content/${guid}`, { body: { title: 'Lost' } });
  expect((await owner.call('GET', path)).body.size).toBe(0);
  const listed = await owner.call('GET', `/v1/experimental/content/${guid}/bundles`);
  expect(listed.body.results).toMatchObject([{ size: 0 }]);
  expect((await owner.call('GET', `/v1/content/${guid}/bundles`)).body).toMatchObject([{ size: 0 }]);
  expect(await owner.call('GET', `${path}/download`)).toMatchObject(refused(404, 4));
  const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`)).body;
  expect((await owner.call('GET', `/v1/tasks/${task_id}?wait=20`)).body).toMatchObject({ code: 135 });
});

test('versions of a bundle are visible to publishers and administrators only', async () => {
  const { guid, bundle } = await withBundle();
  const viewer = await server.person('viewer');
  await owner.call('PATCH', `/v1/content/${guid}`, { body: { access_type: 'logged_in' } });
  const { db } = server.running.services.storage;
  const versions = { r_version: '4.4.1', py_version: '3.12.1' };
  await db.updateTable('bundle').set(versions).where('id', '=', Number(bundle)).execute();
  const path = `/v1/experimental/bundles/${bundle}`;
  expect((await owner.call('GET', path)).body).toMatchObject(versions);
  expect((await viewer.call('GET', path)).body).toMatchObject({ r_version: null, py_version: null });
  expect((await viewer.call('GET', `/v1/content/${guid}/bundles`)).body[0].r_version).toBeNull();
});

test('deleting content deletes its bundles, tasks and files', async () => {
  const { guid, bundle } = await withBundle();
  await owner.call('DELETE', `/v1/experimental/content/${guid}`);
  expect(await owner.call('GET', `/v1/experimental/content/${guid}`)).toMatchObject(refused(404, 4));
  expect(await owner.call('GET', `/v1/experimental/bundles/${bundle}`)).toMatchObject(refused(404, 4));
});

test('deletes the files of content even if the database fails meanwhile', async () => {
  const { guid, bundle } = await withBundle();
  const { storage, tasks } = server.running.services;
  const subject = { kind: 'restart', content_guid: guid, bundle_id: null, user_guid: owner.guid } as const;
  await storage.write((tx) => tasks.create(tx, subject));
  const away = vi.spyOn(tasks, 'cancel').mockRejectedValueOnce(new Error('The database cannot be reached'));
  expect((await owner.call('DELETE', `/v1/content/${guid}`)).status).toBe(204);
  expect(away).toHaveBeenCalled();
  expect(await readdir(join(server.dataDir, 'bundles'))).not.toContain(`${bundle}.tar.gz`);
});

test('a window without an end ends now, and its bounds are inclusive (4.5, rule 3)', async () => {
  const { guid } = await withBundle();
  const { db } = server.running.services.storage;
  const row = { content_guid: guid, user_guid: owner.guid, data_version: 1 };
  // Within a millisecond, the resolution of responses.
  const past = Date.parse('2026-01-01T10:00:00.123Z') * 1000 + 456;
  const future = (Date.now() + 3_600_000) * 1000;
  for (const time of [past, future]) {
    await db
      .insertInto('app_session')
      .values({ ...row, started: time, ended: time })
      .execute();
    await db
      .insertInto('visit')
      .values({ ...row, time, bundle_id: 1 })
      .execute();
  }
  for (const path of ['content/visits', 'shiny/usage']) {
    const found = async (query: string) => {
      const url = `/v1/instrumentation/${path}?content_guid=${guid}&${query}`;
      return (await owner.call('GET', url)).body.results;
    };
    const answered = await found('');
    expect(answered).toHaveLength(1);
    const at = answered[0].time ?? answered[0].started;
    expect(await found(`from=${at}&to=${at}`)).toEqual(answered);
    expect(await found('to=2026-01-01T10:00:00.123455Z')).toEqual([]);
    expect(await found('to=2026-01-01T10:00:00.122Z')).toEqual([]);
    expect(await found(`to=${new Date(future / 1000).toISOString()}`)).toHaveLength(2);
    // The leap second at the end of 2016 is a valid RFC 3339 time.
    expect(await found('from=2016-12-31T23:59:60Z')).toEqual(answered);
  }
});

test('sessions are returned if they overlap the window, even without an end', async () => {
  const { guid } = await withBundle();
  const { db } = server.running.services.storage;
  const at = (time: string) => Date.parse(time) * 1000;
  const row = { content_guid: guid, user_guid: owner.guid, data_version: 1 };
  await db
    .insertInto('app_session')
    .values([
      { ...row, started: at('2026-01-01T10:00:00Z'), ended: at('2026-01-01T11:00:00Z') },
      { ...row, started: at('2026-01-01T12:00:00Z'), ended: null },
      { ...row, started: at('2026-01-01T13:00:00Z'), ended: at('2026-01-01T14:00:00Z') },
    ])
    .execute();
  const started = async (query: string) =>
    (
      await owner.call('GET', `/v1/instrumentation/shiny/usage?content_guid=${guid}&${query}`)
    ).body.results.map((session: { started: string }) => Number(session.started.slice(11, 13)));
  expect(await started('')).toEqual([10, 12, 13]);
  expect(await started('asc_order=false')).toEqual([13, 12, 10]);
  expect(await started('from=2026-01-01T11:00:00Z')).toEqual([10, 12, 13]);
  expect(await started('from=2026-01-01T11:00:01Z')).toEqual([12, 13]);
  expect(await started('to=2026-01-01T12:00:00Z')).toEqual([10, 12]);
  expect(await started('from=2026-01-01T10:30:00Z&to=2026-01-01T11:30:00Z')).toEqual([10]);
  const page = await owner.call('GET', `/v1/instrumentation/shiny/usage?content_guid=${guid}&limit=2`);
  expect(Object.keys(page.body.results[0])).toEqual([
    'content_guid',
    'user_guid',
    'started',
    'ended',
    'data_version',
  ]);
  expect(page.body.paging.next).toContain(`content_guid=${guid}`);
});

/**
 * Sends a body shorter than its Content-Length, directly, since a proxy would not forward it. Returns the error code.
 */
function sendCut(method: string, path: string, body: Buffer): Promise<number> {
  const { hostname, port } = new URL(server.running.url);
  const headers = { Authorization: `Key ${owner.key}`, 'Content-Length': body.length + 10 };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path: `/__api__${path}`, headers });
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve((JSON.parse(text) as { code: number }).code));
    });
    sent.on('error', reject);
    sent.on('socket', (socket) => {
      socket.on('connect', () => {
        sent.flushHeaders();
        socket.end(body);
      });
    });
  });
}

test('a Content-Length that does not match the body returns error 126', async () => {
  const { guid } = await withBundle();
  for (const path of [`/v1/experimental/content/${guid}/upload`, `/v1/content/${guid}/bundles`]) {
    expect(await sendCut('POST', path, page)).toBe(126);
  }
  expect((await owner.call('GET', `/v1/content/${guid}/bundles`)).body).toHaveLength(1);
});

test('a truncated request has no effect, even without a required body', async () => {
  const { guid } = await withBundle();
  expect(await sendCut('DELETE', `/v1/experimental/content/${guid}`, Buffer.from('{'))).toBe(126);
  expect((await owner.call('GET', `/v1/content/${guid}`)).status).toBe(200);
  const { results } = (await admin.call('GET', '/v1/audit_logs?limit=1&ascOrder=false')).body;
  expect(results[0].action).not.toBe('remove_application');
});

test('R installations are a list of versions', async () => {
  const { status, body } = await owner.call('GET', '/v1/server_settings/r');
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['installations']);
  for (const installation of body.installations) expect(Object.keys(installation)).toEqual(['version']);
});

test('unknown addresses return a page to browsers, and an APIError to programs', async () => {
  const open = (path: string, accept: string) => fetch(`${server.url}${path}`, { headers: { accept } });
  for (const path of ['/nothing-here', '/__dashboard__/nothing-here']) {
    const shown = await open(path, 'text/html,*/*');
    expect([shown.status, shown.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await shown.text()).toContain('Nothing is at this address');
    expect(await (await open(path, '*/*')).json()).toMatchObject({ code: 2 });
  }
  const api = await open('/__api__/nothing-here', 'text/html');
  expect([api.status, await api.json()]).toEqual([
    404,
    { code: 2, error: expect.any(String), payload: null },
  ]);
});
