// Covers pictures of content: any image for those who may see the content, at the current and the older address.
import { refused, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

let server: TestServer;
let owner: Person;
let guid: string;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.person('publisher');
  guid = (await owner.call('POST', '/v1/content', { body: { name: 'pictured' } })).body.guid;
});
afterAll(() => server[Symbol.asyncDispose]());

const PNG = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d', 'hex'),
  Buffer.from('IHDR'),
  Buffer.alloc(40, 1),
]);
const today = () => `/v1/content/${guid}/thumbnail`;
const older = () => `/applications/${guid}/image`;

test('a thumbnail is set, read and deleted at either address', async () => {
  expect(await owner.call('GET', today())).toMatchObject(refused(404, 4));
  expect((await owner.call('GET', older())).status).toBe(204);
  const headers = { 'Content-Type': 'text/html' };
  expect((await owner.call('PUT', today(), { raw: PNG, headers })).status).toBe(204);
  for (const path of [today(), older()]) {
    const response = await owner.call('GET', path);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    expect(response.bytes.equals(PNG)).toBe(true);
  }
  expect((await owner.call('DELETE', today())).status).toBe(204);
  expect(await owner.call('DELETE', older())).toMatchObject(refused(404, 17));
  expect((await owner.call('POST', older(), { raw: Buffer.from('GIF89a…') })).status).toBe(204);
  expect((await owner.call('GET', today())).headers.get('content-type')).toBe('image/gif');
});

test.each([
  ['a page', Buffer.from('<html><script>alert(1)</script>'), 400, 25],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 400, 25],
  ['nothing', Buffer.alloc(0), 400, 125],
  ['more than a MiB', Buffer.concat([PNG, Buffer.alloc(2 ** 20)]), 400, 87],
])('rejects %s and keeps the thumbnail', async (_what, raw, status, code) => {
  await owner.call('PUT', today(), { raw: PNG });
  expect(await owner.call('PUT', today(), { raw })).toMatchObject(refused(status, code));
  expect((await owner.call('GET', today())).bytes.equals(PNG)).toBe(true);
});

test('the thumbnail is served beside the content, published or not', async () => {
  const beside = `//content/${guid}/__thumbnail__`;
  await owner.call('PUT', today(), { raw: PNG });
  const response = await owner.call('GET', beside);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(response.headers.get('content-security-policy')).toContain('sandbox');
  expect(response.bytes.equals(PNG)).toBe(true);
  await owner.call('DELETE', today());
  expect((await owner.call('GET', beside)).status).toBe(204);
  expect((await (await server.person('publisher')).call('GET', beside)).status).toBe(403);
  expect((await server.anonymous('GET', beside)).status).toBe(401);
});

test('users without access to the content do not see its thumbnail', async () => {
  const other = await server.person('publisher');
  expect(await other.call('GET', today())).toMatchObject(refused(403, 19));
  expect(await other.call('PUT', today(), { raw: PNG })).toMatchObject(refused(403, 19));
});
