// Lists without pages, longer than what is read at once.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';

const PUBLISHED = { fields: { access_type: 'logged_in' } };

test('content, the content of a tag and that of a group are listed whole, each item once', async () => {
  await using server = await startTestServer({ settings: {} });
  const administrator = await server.administrator();
  const owner = await server.person('publisher');
  const viewer = await server.person('viewer');
  const page = await publish(owner, { 'index.html': 'x' }, PUBLISHED);
  const guids = [page.guid, ...(await addCopies(server, page.guid, 450))];
  const hidden = await addCopies(server, page.guid, 5, { access_type: 'acl' });
  const visible = new Set(guids);

  const group = (await administrator.call('POST', '/v1/groups', { body: { name: 'team' } })).body.guid;
  const category = (await administrator.call('POST', '/v1/tags', { body: { name: 'Area' } })).body.id;
  const tag = (await administrator.call('POST', '/v1/tags', { body: { name: 'Sales', parent_id: category } }))
    .body.id;
  await server.running.services.storage.write(async (tx) => {
    await tx
      .insertInto('content_tag')
      .values(guids.map((guid) => ({ content_guid: guid, tag_id: Number(tag) })))
      .execute();
    await tx
      .insertInto('permission')
      .values(
        guids.map((guid) => ({
          content_guid: guid,
          principal_guid: group,
          principal_type: 'group' as const,
          role: 'viewer' as const,
        })),
      )
      .execute();
  });

  const ofOwner = await listed(owner, '/v1/content?include=owner,tags');
  expect(ofOwner).toHaveLength(guids.length + hidden.length);
  expect(new Set(ofOwner.map(({ guid }) => guid))).toEqual(new Set([...guids, ...hidden]));
  const times = ofOwner.map(({ created_time }) => Date.parse(created_time));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(new Set(ofOwner.map((item) => item.owner.username)).size).toBe(1);
  expect(ofOwner.filter(({ tags }) => tags.length === 1)).toHaveLength(guids.length);

  const head = await fetch(`${server.url}/__api__/v1/content`, {
    method: 'HEAD',
    headers: { authorization: `Key ${owner.key}` },
  });
  expect([head.status, await head.text()]).toEqual([200, '']);

  const ofViewer = await listed(viewer, '/v1/content');
  expect(ofViewer).toHaveLength(guids.length);
  expect(new Set(ofViewer.map(({ guid }) => guid))).toEqual(visible);
  const tagged = await listed(viewer, `/v1/tags/${tag}/content`);
  expect(tagged).toEqual(ofViewer);
  const ofGroup = await listed(owner, `/v1/experimental/groups/${group}/content`);
  expect(ofGroup).toHaveLength(guids.length);
  expect(new Set(ofGroup.map(({ content_guid }) => content_guid))).toEqual(visible);
  for (const { permissions } of ofGroup)
    expect(permissions.map(({ principal_role }) => principal_role)).toEqual(['author', 'viewer']);
  expect(await listed(viewer, `/v1/experimental/groups/${group}/content`)).toEqual([]);

  const found = await owner.call('GET', '/applications?search=copy&count=500');
  expect(found.body.total).toBe(455);
  expect(new Set(found.body.applications.map(({ guid }: { guid: string }) => guid)).size).toBe(455);
});

test('a list ends when the key of its reader is revoked', async () => {
  await using server = await startTestServer({ settings: {} });
  const owner = await server.person('publisher');
  const page = await publish(owner, { 'index.html': 'x' }, PUBLISHED);
  // More than the connection takes before the client reads.
  await addCopies(server, page.guid, 4000, { description: 'long '.repeat(800) });
  const key = (await owner.call('POST', `/v1/users/${owner.guid}/keys`, { body: { name: 'reader' } })).body;

  const asked = request(`${server.url}/__api__/v1/content`, { headers: { authorization: `Key ${key.key}` } });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  await owner.call('DELETE', `/v1/users/${owner.guid}/keys/${key.id}`);
  await expect(text(response)).rejects.toThrow('aborted');
});

/** Copies of a content item, by direct writes: creating thousands one by one would take minutes. */
async function addCopies(
  { running }: TestServer,
  guid: string,
  count: number,
  changes: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const { storage, ids } = running.services;
  const row = await storage.db
    .selectFrom('content')
    .selectAll()
    .where('guid', '=', guid)
    .executeTakeFirstOrThrow();
  const copies = Array.from({ length: count }, (_, index) => ({
    ...row,
    ...changes,
    guid: ids.uuid(),
    name: `copy-${ids.uuid()}`,
    // Pairs of the same time, as servers that share a database may write.
    created_time: row.created_time + Math.floor(index / 2),
  }));
  for (let at = 0; at < count; at += 500)
    await storage.write((tx) =>
      tx
        .insertInto('content')
        .values(copies.slice(at, at + 500))
        .execute(),
    );
  return copies.map((copy) => copy.guid);
}

interface Item {
  readonly guid: string;
  readonly content_guid: string;
  readonly created_time: string;
  readonly owner: { readonly username: string };
  readonly tags: readonly unknown[];
  readonly permissions: readonly { readonly principal_role: string }[];
}

async function listed(person: Person, path: string): Promise<Item[]> {
  const { status, body } = await person.call('GET', path);
  expect(status).toBe(200);
  return body as Item[];
}
