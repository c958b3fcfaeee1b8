// Covers tags: the tree that administrators manage (codes 77 to 81 of the contract), and the tags that collaborators assign.
import { publish, refused, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

let server: TestServer;
let admin: Person;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer();
  [admin, owner] = [await server.administrator(), await server.person('publisher')];
});
afterAll(() => server[Symbol.asyncDispose]());

let count = 0;

async function makeTag(name: string, parent_id: string | null = null) {
  const response = await admin.call('POST', '/v1/tags', { body: { name, parent_id } });
  expect(response.status).toBe(200);
  return response.body as { id: string; name: string; parent_id: string | null };
}
const makeCategory = () => makeTag(`category ${(count += 1)}`);

test('administrators build a tree of tags, which everyone reads; circles return error 88', async () => {
  const category = await makeCategory();
  const team = await makeTag(' Team ', category.id);
  expect(team).toMatchObject({ name: 'Team', parent_id: category.id });
  const sales = await makeTag('Sales', team.id);
  const viewer = await server.person('viewer');
  const below = await viewer.call('GET', `/v1/tags?parent_id=${team.id}`);
  expect(below.body).toEqual([sales]);
  expect((await viewer.call('GET', `/v1/tags/${sales.id}`)).body).toEqual(sales);
  expect((await viewer.call('GET', '/v1/tags?name=Sales')).body).toContainEqual(sales);
  const tree = (await viewer.call('GET', '/tag-tree')).body as { id: number }[];
  expect(tree.find(({ id }) => String(id) === category.id)).toMatchObject({
    parent_id: null,
    children: [{ name: 'Team', children: [{ name: 'Sales', children: [] }] }],
  });
  expect(await owner.call('POST', '/v1/tags', { body: { name: 'mine' } })).toMatchObject(refused(403, 22));

  const renamed = await admin.call('PATCH', `/v1/tags/${sales.id}`, {
    body: { name: 'Selling', parent_id: category.id },
  });
  expect(renamed.body).toMatchObject({ name: 'Selling', parent_id: category.id });
  expect(
    await admin.call('PATCH', `/v1/tags/${category.id}`, { body: { parent_id: team.id } }),
  ).toMatchObject(refused(400, 88));
  expect((await admin.call('DELETE', `/v1/tags/${category.id}`)).status).toBe(204);
  expect(await viewer.call('GET', `/v1/tags/${team.id}`)).toMatchObject(refused(404, 4));
});

test('a tag needs a name (78) of up to 255 characters (77), unique among siblings (81)', async () => {
  const category = await makeCategory();
  const create = (body: object) => admin.call('POST', '/v1/tags', { body });
  expect(await create({ parent_id: category.id })).toMatchObject(refused(400, 78));
  expect(await create({ name: '  ', parent_id: category.id })).toMatchObject(refused(400, 78));
  expect((await create({ name: 'x'.repeat(255), parent_id: category.id })).status).toBe(200);
  expect(await create({ name: 'x'.repeat(256), parent_id: category.id })).toMatchObject(refused(400, 77));
  expect((await create({ name: '\u{1F3F7}'.repeat(255), parent_id: category.id })).status).toBe(200);
  expect(await create({ name: '\u{1F3F7}'.repeat(256), parent_id: category.id })).toMatchObject(
    refused(400, 77),
  );
  const first = await makeTag('Same', category.id);
  expect(await create({ name: 'SAME', parent_id: category.id })).toMatchObject(refused(400, 81));
  expect(await create({ name: category.name })).toMatchObject(refused(400, 81));
  expect((await create({ name: 'same', parent_id: first.id })).status).toBe(200);
  const other = await makeTag('Other', category.id);
  expect(await admin.call('PATCH', `/v1/tags/${other.id}`, { body: { name: 'Same' } })).toMatchObject(
    refused(400, 81),
  );
  expect(await create({ name: 'lost', parent_id: '999999' })).toMatchObject(refused(404, 4));
});

test('collaborators tag content, but not with categories (79); viewers see the tags', async () => {
  const category = await makeCategory();
  const [team, sales] = [await makeTag('Team', category.id), await makeTag('Sales', category.id)];
  const content = await publish(owner, { 'index.html': '<p>' });
  await owner.call('PATCH', `/v1/content/${content.guid}`, { body: { access_type: 'acl' } });
  const path = `/v1/content/${content.guid}/tags`;
  const add = (tag_id: string | number, who = owner) => who.call('POST', path, { body: { tag_id } });
  expect(await add(category.id)).toMatchObject(refused(400, 79));
  expect((await add(team.id)).status).toBe(204);
  expect((await add(Number(team.id))).status).toBe(204);
  expect(
    (await admin.call('POST', `/applications/${content.guid}/tags`, { body: { id: sales.id } })).status,
  ).toBe(204);
  expect((await owner.call('GET', path)).body.map(({ name }: { name: string }) => name)).toEqual([
    'Sales',
    'Team',
  ]);
  const listed = await owner.call('GET', `/v1/content/${content.guid}?include=tags`);
  expect(listed.body.tags.map(({ name }: { name: string }) => name)).toEqual(['Sales', 'Team']);
  const stranger = await server.person('publisher');
  expect(await add(team.id, stranger)).toMatchObject(refused(403, 19));
  expect(await stranger.call('GET', path)).toMatchObject(refused(403, 19));

  const tagged = (who: Person) => who.call('GET', `/v1/tags/${category.id}/content`);
  expect((await tagged(owner)).body).toMatchObject([{ guid: content.guid, app_role: 'owner' }]);
  expect((await tagged(stranger)).body).toEqual([]);
  expect((await owner.call('DELETE', `${path}/${team.id}`)).status).toBe(204);
  expect(await owner.call('DELETE', `${path}/${team.id}`)).toMatchObject(refused(404, 17));
  await admin.call('DELETE', `/v1/tags/${sales.id}`);
  expect((await owner.call('GET', path)).body).toEqual([]);
});

test('content gets a tag with those above it, and loses one with those below it', async () => {
  const category = await makeCategory();
  const team = await makeTag('Team', category.id);
  const sales = await makeTag('Sales', team.id);
  const north = await makeTag('North', sales.id);
  const other = await makeTag('Other', category.id);
  const { guid } = await publish(owner, { 'index.html': '<p>' });
  const path = `/v1/content/${guid}/tags`;
  const add = ({ id }: { id: string }) => owner.call('POST', path, { body: { tag_id: id } });
  const remove = ({ id }: { id: string }) => owner.call('DELETE', `${path}/${id}`);
  const names = async () => (await owner.call('GET', path)).body.map(({ name }: { name: string }) => name);
  await add(north);
  await add(other);
  expect(await names()).toEqual(['North', 'Other', 'Sales', 'Team']);
  expect((await remove(sales)).status).toBe(204);
  expect(await names()).toEqual(['Other', 'Team']);
  expect(await remove(north)).toMatchObject(refused(404, 17));
  expect((await remove(category)).status).toBe(204);
  expect(await names()).toEqual([]);
  expect(await remove({ id: '999999' })).toMatchObject(refused(404, 17));
});

test('creating the same tag concurrently succeeds once', async () => {
  const category = await makeCategory();
  const body = { name: 'once', parent_id: category.id };
  const responses = await Promise.all(
    Array.from({ length: 5 }, () => admin.call('POST', '/v1/tags', { body })),
  );
  expect(responses.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 400, 400, 400, 400]);
});
