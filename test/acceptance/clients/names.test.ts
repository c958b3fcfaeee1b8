// Covers names and titles that current clients omit. The contract's own form still requires them.
import { refused, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

let server: TestServer;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

test.each([{}, { name: '' }, { name: null, title: null }, { name: '', title: '' }])(
  'content created with %j gets a generated name and no title',
  async (body) => {
    const made = await owner.call('POST', '/v1/content', { body });
    expect(made).toMatchObject({ status: 200, body: { title: null, app_role: 'owner' } });
    expect(made.body.name).toMatch(/^content-[0-9a-f]{8}$/);
    expect((await owner.call('GET', `/v1/content/${made.body.guid}`)).body).toEqual(made.body);
  },
);

test('an empty name in an update keeps the name, an empty title clears it', async () => {
  const body = { name: 'kept-name', title: 'A title' };
  const { guid } = (await owner.call('POST', '/v1/content', { body })).body;
  const changed = await owner.call('PATCH', `/v1/content/${guid}`, { body: { name: '', title: '' } });
  expect(changed).toMatchObject({ status: 200, body: { name: 'kept-name', title: null } });
});

test('non-empty names and titles must follow the rules', async () => {
  const make = (body: object) => owner.call('POST', '/v1/content', { body });
  for (const title of ['x', 'xy', '\u{1F600}\u{1F600}', 'x'.repeat(1025)])
    expect(await make({ title })).toMatchObject(refused(400, 122));
  for (const title of ['xyz', 'a\nb', '\u{1F600}\u{1F600}\u{1F600}', 'x'.repeat(1024)])
    expect(await make({ title })).toMatchObject({ status: 200, body: { title } });
  for (const name of ['ab', 'a b c', 'x'.repeat(65)])
    expect(await make({ name })).toMatchObject(refused(400, 5));
});

test('the experimental form requires a name, and a title of three characters', async () => {
  const make = (body: object) => owner.call('POST', '/v1/experimental/content', { body });
  expect(await make({})).toMatchObject(refused(400, 12));
  expect(await make({ name: '' })).toMatchObject(refused(400, 5));
  expect(await make({ name: 'in-contract', title: '' })).toMatchObject(refused(400, 122));
});
