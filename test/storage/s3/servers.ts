// Two servers with their own data directories: uploads to one are served and run by the other.
import { existsSync } from 'node:fs';
import { mkdtemp, mkdtempDisposable, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { startServer, type Config } from '@pressroom/server';
import {
  caller,
  type Call,
  finishedTask,
  makeArchive,
  publish,
  startTestServer,
  testLog,
  type Bucket,
  type TestServer,
} from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { openS3 } from '../../../packages/server/src/main/open-blobs.ts';
import { makeWheel } from '../../../packages/server/src/runtime/restore/testing.ts';
import { ASGI, asgi } from '../../runtime/python-content.ts';

/** A second server over the same database and bucket, with an empty directory. */
async function startBeside({ running }: TestServer, more: Partial<Config> = {}) {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'pressroom-beside-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const config = { ...running.services.config, 'Server.DataDir': dataDir, ...more };
  const server = stack.use(await startServer({ config, log: testLog() }));
  const opened = stack.move();
  return { url: server.url, dataDir, server, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Of a notebook. */
export const REPORT = JSON.stringify({
  cells: [{ cell_type: 'markdown', metadata: {}, source: ['# A rendered report'] }],
  metadata: { kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
});

export const NOTEBOOK = { appmode: 'jupyter-static', entrypoint: 'report.ipynb' };

export function testServers(makeBucket: () => Promise<Bucket>): void {
  test('a server with another bucket or prefix than the others is refused, and the settings are named', async () => {
    const { settings } = await makeBucket();
    await using server = await startTestServer({ settings });
    await publish(await server.person('publisher'), { 'index.html': 'page' });
    const { settings: other } = await makeBucket();
    for (const wrong of [{ 'Storage.Prefix': 'typo/' }, { 'Storage.Bucket': other['Storage.Bucket']! }])
      for (let i = 0; i < 2; i += 1)
        await expect(startBeside(server, wrong)).rejects.toThrow(
          /^Storage.Bucket or Storage.Prefix: .* is empty, but the database names bundles/,
        );
  });

  test('another copy of the database is refused while servers of the first one use the bucket', async () => {
    const { settings } = await makeBucket();
    await using copy = await startTestServer({ settings: { 'Secrets.Key': settings['Secrets.Key']! } });
    await copy.person('publisher');
    {
      await using server = await startTestServer({ settings });
      await server.person('publisher');
      // From now on, the bucket has the end of this audit log.
      await server.restart();
      await using _second = await startBeside(server);
      await expect(copy.restart(settings)).rejects.toThrow(
        /^Storage\.Bucket or Storage\.Prefix: servers of another copy of this database used .* seconds ago/,
      );
    }
    await copy.restart(settings);
  });

  test('a draft created on one server opens on the other, which activates it without a rebuild', async () => {
    const { settings } = await makeBucket();
    await using server = await startTestServer({ settings });
    await using second = await startBeside(server);
    const owner = await server.person('publisher');
    const there = caller(() => second.url, owner.key);
    const cases = [
      [{ 'index.html': 'live' }, { 'index.html': 'draft' }, {}, 'draft'],
      [
        { 'report.ipynb': REPORT },
        { 'report.ipynb': REPORT.replace('A rendered', 'A drafted') },
        NOTEBOOK,
        'A drafted',
      ],
      [asgi({ '/': 'answer = "live"' }), asgi({ '/': 'answer = "draft"' }), ASGI, 'draft'],
    ] as const;
    for (const [live, next, metadata, said] of cases) {
      const { guid, path } = await publish(owner, live, { metadata });
      const raw = makeArchive(next, metadata);
      const bundle_id = (await owner.call('POST', `/v1/content/${guid}/bundles`, { raw })).body.id as string;
      const draft = { bundle_id, activate: false };
      const deploy = `/v1/content/${guid}/deploy`;
      const { task_id } = (await owner.call('POST', deploy, { body: draft })).body;
      expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
      const opened = async (call: Call, at: string) => String((await call('GET', at)).bytes);
      expect(await opened(there, `${path}_bundle${bundle_id}/`)).toContain(said);
      expect(await opened(there, path)).not.toContain(said);
      const activated = (await there('POST', deploy, { body: { bundle_id } })).body;
      const task = await finishedTask(owner, activated.task_id);
      expect(task).toMatchObject({ code: 0 });
      expect(task.output).toContain('Nothing is built again: a draft of this bundle is ready');
      expect(await opened(there, path)).toContain(said);
      await expect.poll(() => opened(owner.call, path)).toContain(said);
    }
  });

  test('pages, reports and APIs published on one server open on the other, older versions too', async () => {
    await using packages = await mkdtempDisposable(join(tmpdir(), 'pressroom-packages-'));
    await makeWheel(packages.path, 'alpha', '1.0');
    const { settings: stored, keys } = await makeBucket();
    const settings = {
      ...stored,
      'Python.FindLinks': join(packages.path, 'wheels'),
      'Scheduler.IdleTimeout': 1,
    };
    await using server = await startTestServer({ settings });
    await using second = await startBeside(server);
    const owner = await server.person('publisher');
    const there = caller(() => second.url, owner.key);
    const page = await publish(owner, { 'index.html': 'first', 'large.txt': 'x'.repeat(300_000) });
    await publish(owner, { 'index.html': 'second' }, { guid: page.guid });
    expect(String((await there('GET', page.path)).bytes)).toBe('second');
    const bundles = (await there('GET', `/v1/content/${page.guid}/bundles`)).body as { id: string }[];
    expect(String((await there('GET', `${page.path}_rev${bundles[0]!.id}/`)).bytes)).toBe('first');

    // Concurrent first visitors: it is unpacked once.
    const metadata = NOTEBOOK;
    const report = await publish(owner, { 'report.ipynb': REPORT }, { metadata });
    expect(report.task).toMatchObject({ code: 0 });
    const responses = await Promise.all(Array.from({ length: 20 }, () => there('GET', report.path)));
    for (const { status, bytes } of responses) {
      expect(status).toBe(200);
      expect(String(bytes)).toContain('A rendered report');
    }
    const here = await owner.call('GET', report.path);
    expect(here.bytes.equals(responses[0]!.bytes)).toBe(true);
    const etag = here.headers.get('ETag')!;
    expect((await there('GET', report.path, { headers: { 'If-None-Match': etag } })).status).toBe(304);

    // Its packages are restored on the other server, and unchanged here.
    const files = { ...asgi({ '/': 'import alpha; answer = alpha.VERSION' }), 'requirements.txt': 'alpha\n' };
    const api = await publish(owner, files, { metadata: ASGI });
    const { db } = server.running.services.storage;
    const launch = () =>
      db.selectFrom('content').select('launch').where('guid', '=', api.guid).executeTakeFirstOrThrow();
    const before = await launch();
    expect((await there('GET', api.path)).body).toBe('1.0');
    expect(await launch()).toEqual(before);
    // The log of a process that ended here can be read there.
    const logOf = async (call: Call) => {
      const jobs = (await owner.call('GET', `/v1/content/${api.guid}/jobs`)).body as {
        key: string;
        end_time: string;
      }[];
      const ended = jobs.filter(({ end_time }) => end_time !== null);
      const logs = await Promise.all(
        ended.map(({ key }) => call('GET', `/v1/content/${api.guid}/jobs/${key}/log`)),
      );
      return logs.flatMap(({ body }) => body.entries?.map(({ data }: { data: string }) => data) ?? []);
    };
    await expect.poll(() => logOf(there)).toContainEqual(expect.stringContaining('The process '));
    expect(await logOf(there)).toEqual(await logOf(owner.call));

    // The other server accepts and deploys bundles, too; deletions apply to both and to the bucket.
    await there('POST', `/v1/content/${page.guid}/bundles`, { raw: makeArchive({ 'index.html': 'third' }) });
    const { task_id } = (await there('POST', `/v1/content/${page.guid}/deploy`)).body;
    expect((await there('GET', `/v1/tasks/${task_id}?wait=20`)).body).toMatchObject({
      finished: true,
      code: 0,
    });
    const last = (await there('GET', `/v1/content/${page.guid}/bundles`)).body.at(-1);
    const { task_id: deploy } = (
      await there('POST', `/v1/content/${page.guid}/deploy`, { body: { bundle_id: last.id } })
    ).body;
    expect((await there('GET', `/v1/tasks/${deploy}?wait=20`)).body).toMatchObject({
      finished: true,
      code: 0,
    });
    expect(String((await owner.call('GET', page.path)).bytes)).toBe('third');
    const unpacked = join(second.dataDir, 'content', report.guid);
    expect(existsSync(unpacked)).toBe(true);
    for (const { guid } of [page, report, api])
      expect((await owner.call('DELETE', `/v1/content/${guid}`)).status).toBe(204);
    // Once informed, the other server ends its processes and uploads their logs first.
    await expect.poll(keys).toEqual(['pressroom']);
    await expect.poll(() => readdir(unpacked)).toEqual([]);
  });

  test('a modified archive is not served', async () => {
    const { settings, keys } = await makeBucket();
    await using server = await startTestServer({ settings });
    const owner = await server.person('publisher');
    const page = await publish(owner, { 'index.html': 'as uploaded' });
    using store = await openS3(server.running.services.config, testLog());
    const key = (await keys()).find((name) => name.startsWith('bundles/'))!;
    await store.objects.put(key, Readable.from([makeArchive({ 'index.html': 'as changed in the bucket' })]));
    await using second = await startBeside(server);
    const there = caller(() => second.url, owner.key);
    expect(await there('GET', page.path)).toMatchObject({ status: 400, body: { code: 135 } });
    expect(await readdir(join(second.dataDir, 'content', page.guid))).toEqual([]);
  });

  test('the cache evicts least recently used content, and extracts it again on a visit', async () => {
    const { settings } = await makeBucket();
    await using server = await startTestServer({ settings });
    const owner = await server.person('publisher');
    const sized = (name: string) => ({ 'index.html': name, 'data.bin': Buffer.alloc(100_000, name) });
    const one = await publish(owner, sized('one'));
    const two = await publish(owner, sized('two'));
    const api = await publish(
      owner,
      { ...asgi({ '/': 'answer = 42' }), 'data.bin': Buffer.alloc(100_000) },
      {
        metadata: ASGI,
        fields: { min_processes: 1 },
      },
    );
    // Space for two of the three.
    await using second = await startBeside(server, {
      'Storage.CacheSize': 250_000,
      'Scheduler.IdleTimeout': 600,
    });
    const there = caller(() => second.url, owner.key);
    const isUnpacked = async ({ guid }: { guid: string }) =>
      (await readdir(join(second.dataDir, 'content', guid)).catch(() => [])).length > 0;
    expect((await there('GET', api.path)).body).toBe(42);
    expect(String((await there('GET', one.path)).bytes)).toBe('one');
    expect(String((await there('GET', two.path)).bytes)).toBe('two');
    // The API runs from its files: they stay, although used earlier than the others.
    await expect.poll(() => isUnpacked(one)).toBe(false);
    expect([await isUnpacked(two), await isUnpacked(api)]).toEqual([true, true]);
    expect((await there('GET', `${one.path}data.bin`)).bytes).toHaveLength(100_000);
    expect((await there('GET', api.path)).body).toBe(42);
    // All of it lost while the server runs.
    for (const { guid } of [one, two])
      await rm(join(second.dataDir, 'content', guid), { recursive: true, force: true });
    expect((await there('GET', `${two.path}data.bin`)).bytes).toHaveLength(100_000);
  });
}
