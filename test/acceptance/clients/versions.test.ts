// Covers versions below a content address as pins and rsconnect-python open them: `_rev12/` and `_bundle12/`.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeArchive, publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let server: TestServer;
let owner: Person;
let viewer: Person;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.person('publisher');
  viewer = await server.person('viewer');
});
afterAll(() => server[Symbol.asyncDispose]());

const bundlesOf = async (guid: string): Promise<string[]> =>
  (await owner.call('GET', `/v1/content/${guid}/bundles`)).body.map(({ id }: { id: string }) => id);
const textOf = async (person: Person, path: string) => {
  const { status, bytes } = await person.call('GET', path);
  return status === 200 ? bytes.toString() : status;
};

/** Creates content with an old bundle, an active one, and one that was only uploaded. */
async function threeVersions(fields: Record<string, unknown>) {
  const metadata = { content_category: 'pin' };
  const files = (text: string) => ({
    'index.html': `<p>${text}`,
    'data.txt': text,
    'sub/a b.json': `"${text}"`,
  });
  const { guid, path } = await publish(owner, files('first'), { metadata, fields });
  await publish(owner, files('second'), { metadata, guid });
  await owner.call('POST', `/v1/content/${guid}/bundles`, { raw: makeArchive(files('third'), metadata) });
  const ids = await bundlesOf(guid);
  return { guid, path, old: ids[0]!, active: ids[1]!, draft: ids[2]! };
}

describe('Old versions of content', () => {
  test('whoever may view the content can read them unchanged', async () => {
    const { path, old, active } = await threeVersions({ access_type: 'logged_in' });
    for (const [id, text] of [
      [old, 'first'],
      [active, 'second'],
    ] as const) {
      expect(await textOf(viewer, `${path}_rev${id}/data.txt`)).toBe(text);
      expect(await textOf(viewer, `${path}_rev${id}/`)).toBe(`<p>${text}`);
      expect(await textOf(viewer, `${path}_rev${id}/sub/a%20b.json`)).toBe(`"${text}"`);
      expect(await textOf(viewer, `${path}_rev${id}/manifest.json`)).toBe(404);
    }
    expect(await textOf(viewer, `${path}data.txt`)).toBe('second');
    expect(await server.anonymous('GET', `${path}_rev${old}/data.txt`)).toMatchObject({ status: 401 });
    const slash = await viewer.call('GET', `${path}_rev${old}?a=b`);
    expect([slash.status, slash.headers.get('location')]).toEqual([308, `${path.slice(1)}_rev${old}/?a=b`]);
  });

  test('are hidden from people who may not view the content', async () => {
    const { path, old } = await threeVersions({ access_type: 'acl' });
    expect(await textOf(viewer, `${path}_rev${old}/data.txt`)).toBe(403);
    expect(await textOf(owner, `${path}_rev${old}/data.txt`)).toBe('first');
  });

  test('unpublished, foreign and deleted versions are not found', async () => {
    const { guid, path, old, draft } = await threeVersions({ access_type: 'all' });
    const other = await threeVersions({ access_type: 'all' });
    expect(await textOf(viewer, `${path}_rev${draft}/data.txt`)).toBe(404);
    expect(await textOf(viewer, `${path}_rev${other.old}/data.txt`)).toBe(404);
    expect(await textOf(viewer, `${path}_rev999999999999999/data.txt`)).toBe(404);
    expect(await textOf(viewer, `${path}_rev${old}/data.txt`)).toBe('first');
    expect((await owner.call('DELETE', `/v1/content/${guid}/bundles/${old}`)).status).toBe(204);
    expect(await textOf(viewer, `${path}_rev${old}/data.txt`)).toBe(404);
    expect(await readdir(join(server.dataDir, 'content', guid))).not.toContain(`rev-${old}`);
  });

  test('are extracted again after a deploy, once for simultaneous requests', async () => {
    const { guid, path, old } = await threeVersions({ access_type: 'all' });
    const read = () => textOf(viewer, `${path}_rev${old}/data.txt`);
    expect(await Promise.all([read(), read(), read()])).toEqual(['first', 'first', 'first']);
    await publish(owner, { 'index.html': 'x' }, { metadata: { content_category: 'pin' }, guid });
    expect(await Promise.all([read(), read()])).toEqual(['first', 'first']);
    expect(await readdir(join(server.dataDir, 'work')).catch(() => [])).toEqual([]);
  });

  test('are kept up to the limit of the cache: nobody fills the disk by opening all', async () => {
    await using own = await startTestServer({ settings: { 'Storage.CacheSize': 1 } });
    const publisher = await own.person('publisher');
    const deploy = (text: string, guid?: string) =>
      publish(publisher, { 'index.html': text }, { guid, fields: guid ? {} : { access_type: 'all' } });
    const { guid, path } = await deploy('first');
    for (const text of ['second', 'third', 'fourth']) await deploy(text, guid);
    const bundles = (await publisher.call('GET', `/v1/content/${guid}/bundles`)).body;
    const old = bundles.map(({ id }: { id: string }) => id).slice(0, -1);
    for (const id of [...old, ...old])
      expect((await own.anonymous('GET', `${path}_rev${id}/`)).status).toBe(200);
    const unpacked = async () =>
      (await readdir(join(own.dataDir, 'content', guid))).filter((name) => name.startsWith('rev-'));
    await expect.poll(unpacked).toHaveLength(1);
    expect((await own.anonymous('GET', path)).status).toBe(200);
  });

  test('a visit to an old version counts for its bundle', async () => {
    const { guid, path, old } = await threeVersions({ access_type: 'all' });
    await viewer.call('GET', `${path}_rev${old}/`);
    await server.restart();
    const { results } = (await owner.call('GET', `/v1/instrumentation/content/visits?content_guid=${guid}`))
      .body;
    expect(results).toMatchObject([{ bundle_id: Number(old), user_guid: viewer.guid }]);
  });

  test('old versions of applications are not served, so their source stays hidden', async () => {
    const app =
      'def app(environ, start):\n    start("200 OK", [])\n    return [environ["PATH_INFO"].encode()]\n';
    const metadata = { appmode: 'python-api', entrypoint: 'app:app' };
    const { guid, path } = await publish(owner, { 'app.py': app }, { metadata });
    await publish(owner, { 'app.py': `# again\n${app}` }, { metadata, guid });
    const [old, active] = await bundlesOf(guid);
    for (const kind of ['rev', 'bundle']) {
      expect(await textOf(owner, `${path}_${kind}${old}/app.py`)).toBe(404);
      expect(await textOf(owner, `${path}_${kind}${active}/app.py`)).toBe('/app.py');
    }
  });
});

describe('Bundles before publication', () => {
  test('collaborators open a bundle of content that was never deployed', async () => {
    const body = { name: 'only-a-draft', access_type: 'all' };
    const { guid } = (await owner.call('POST', '/v1/content', { body })).body;
    const raw = makeArchive({ 'index.html': 'not yet' });
    const { id } = (await owner.call('POST', `/v1/content/${guid}/bundles`, { raw })).body;
    expect(await textOf(owner, `//content/${guid}/_bundle${id}/`)).toBe('not yet');
    expect(await textOf(viewer, `//content/${guid}/_bundle${id}/`)).toBe(403);
    expect(await server.anonymous('GET', `//content/${guid}/_bundle${id}/`)).toMatchObject({ status: 401 });
  });

  test('collaborators open any bundle, administrators without rights open none', async () => {
    const { path, old, active, draft } = await threeVersions({ access_type: 'all' });
    const read = (person: Person, id: string) => textOf(person, `${path}_bundle${id}/data.txt`);
    expect(await Promise.all([old, active, draft].map((id) => read(owner, id)))).toEqual([
      'first',
      'second',
      'third',
    ]);
    const admin = await server.administrator();
    expect(await Promise.all([old, active, draft].map((id) => read(admin, id)))).toEqual([403, 403, 403]);
  });
});
