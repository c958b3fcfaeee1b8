// Covers the life of a page over HTTP: created, published, viewed and deleted.
import { createHash } from 'node:crypto';
import { makeArchive, startTestServer, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

test('a page is created, uploaded, deployed, read, downloaded and deleted', async () => {
  const publisher = await server.person('publisher');
  const { call } = publisher;
  const created = await call('POST', '/v1/experimental/content', {
    body: { name: 'a-page', access_type: 'all' },
  });
  expect(created.status).toBe(200);
  const { guid } = created.body;
  const archive = makeArchive({ 'index.html': '<h1>hello</h1>' });
  const checksum = createHash('md5').update(archive).digest('hex');
  const upload = await call('POST', `/v1/experimental/content/${guid}/upload`, {
    raw: archive,
    headers: { 'X-Content-Checksum': checksum.toUpperCase() },
  });
  expect(upload).toMatchObject({ status: 200, body: { size: archive.length } });
  const deploy = await call('POST', `/v1/experimental/content/${guid}/deploy`);
  const task = await call('GET', `/v1/experimental/tasks/${deploy.body.task_id}?wait=20`);
  expect(task.body).toMatchObject({ finished: true, code: 0, error: '', last: task.body.output.length });
  expect(task.body.output[0]).toBe('Building static content...');

  const page = await server.anonymous('GET', `//content/${guid}/`);
  expect(page.status).toBe(200);
  expect(page.bytes.toString()).toBe('<h1>hello</h1>');
  const content = await call('GET', `/v1/experimental/content/${guid}`);
  expect(content.body).toMatchObject({ app_mode: 'static', bundle_id: upload.body.bundle_id, role: 'owner' });
  const download = await call('GET', `/v1/experimental/bundles/${upload.body.bundle_id}/download`);
  expect(download.bytes.equals(archive)).toBe(true);

  const active = await call('DELETE', `/v1/experimental/bundles/${upload.body.bundle_id}`);
  expect(active).toMatchObject({ status: 400, body: { code: 75 } });
  expect(await call('DELETE', `/v1/experimental/content/${guid}`)).toMatchObject({ status: 204 });
  expect(await server.anonymous('GET', `//content/${guid}/`)).toMatchObject({
    status: 404,
    body: { code: 4 },
  });
});
