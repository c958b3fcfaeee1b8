// Moves a server with its own directory to PostgreSQL and S3: nothing is lost, and an interrupted copy resumes.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig, openStorage, startServer } from '@pressroom/server';
import {
  caller,
  COMPILE_CACHE,
  createDatabase,
  publish,
  PYTHON_API,
  pythonApi,
  startTestServer,
  testLog,
  type Bucket,
} from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { variableName } from '../../../packages/server/src/main/config/load-config.ts';
import { moveFiles } from '../../../packages/server/src/main/move/move-files.ts';
import { openS3 } from '../../../packages/server/src/main/open-blobs.ts';
import { NOTEBOOK, REPORT } from './servers.ts';

const MAIN = join(import.meta.dirname, '../../../packages/server/src/main');

const run = (command: string, settings: object) => {
  const pairs = Object.entries(settings).map(([name, value]) => [variableName(name), String(value)] as const);
  const env = { ...COMPILE_CACHE, PATH: process.env.PATH, ...Object.fromEntries(pairs) };
  return promisify(execFile)(process.execPath, [join(MAIN, `${command}.ts`)], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      said: error.stdout + error.stderr,
    }),
  );
};

export function testMoves(makeBucket: () => Promise<Bucket>): void {
  test('a server moved from SQLite and a directory to PostgreSQL and S3 stays the same', async () => {
    const bucket = await makeBucket();
    const key = { 'Secrets.Key': bucket.settings['Secrets.Key']! };
    await using before = await startTestServer({ engine: 'sqlite', settings: key });
    const owner = await before.person('publisher');
    const page = await publish(owner, { 'index.html': 'first' });
    await publish(owner, { 'index.html': 'second' }, { guid: page.guid });
    const report = await publish(owner, { 'report.ipynb': REPORT }, { metadata: NOTEBOOK });
    const api = await publish(owner, pythonApi('1'), { metadata: PYTHON_API });
    expect((await owner.call('GET', api.path)).status).toBe(200);
    await owner.call('PATCH', `/v1/content/${page.guid}/environment`, {
      body: [{ name: 'TOKEN', value: 'sealed' }],
    });
    // A tag with a parent of a greater id.
    const admin = await before.administrator();
    const child = (await admin.call('POST', '/v1/tags', { body: { name: 'child' } })).body;
    const top = (await admin.call('POST', '/v1/tags', { body: { name: 'top' } })).body;
    await admin.call('PATCH', `/v1/tags/${child.id}`, { body: { parent_id: top.id } });
    const tags = (await admin.call('GET', '/v1/tags')).body;
    await using database = await createDatabase();
    const settings = {
      'Server.DataDir': before.dataDir,
      'Database.URL': database.url,
      ...bucket.settings,
    };
    expect(await run('move-database', settings)).toMatchObject({
      code: 1,
      said: expect.stringContaining('another server uses'),
    });
    await before.running[Symbol.asyncDispose]();
    // Steps left out, or with another key, change nothing.
    expect(await run('move-files', settings)).toMatchObject({
      code: 1,
      said: expect.stringContaining('leave out Database.URL until npm run move-database'),
    });
    const tooEarly = loadConfig({}, { ...settings, 'HTTP.Listen': '127.0.0.1:0' });
    await expect(startServer({ config: tooEarly, log: testLog() })).rejects.toThrow('bundles of another one');
    const other = { ...settings, 'Secrets.Key': randomBytes(32).toString('base64') };
    expect(await run('move-database', other)).toMatchObject({
      code: 1,
      said: expect.stringContaining('was written with another key: set Secrets.Key to that'),
    });
    expect(await run('move-database', settings)).toMatchObject({
      code: 0,
      said: expect.stringMatching(/4 bundle\n[^]*audit log is whole[^]*Run npm run move-files/),
    });
    expect(await run('move-database', settings)).toMatchObject({
      code: 1,
      said: expect.stringContaining('is not empty'),
    });
    await expect(startServer({ config: tooEarly, log: testLog() })).rejects.toThrow('npm run move-files');
    expect(await run('move-files', settings)).toMatchObject({
      code: 0,
      said: expect.stringMatching(/Bundles: 4 copied .*Rendered documents: 1 copied .*Logs: 1 copied/),
    });

    await using after = await startTestServer({
      engine: 'sqlite',
      settings: { ...bucket.settings, 'Database.URL': database.url },
    });
    const call = caller(() => after.url, owner.key);
    expect((await call('GET', '/v1/user')).body).toMatchObject({ username: owner.username });
    expect(String((await call('GET', page.path)).bytes)).toBe('second');
    expect(String((await call('GET', report.path)).bytes)).toContain('A rendered report');
    expect((await call('GET', `/v1/content/${page.guid}/environment`)).body).toEqual(['TOKEN']);
    expect((await caller(() => after.url, admin.key)('GET', '/v1/tags')).body).toEqual(tags);
    const [job] = (await call('GET', `/v1/content/${api.guid}/jobs`)).body;
    const log = (await call('GET', `/v1/content/${api.guid}/jobs/${job.key}/log`)).body;
    expect(log.entries).not.toEqual([]);
    // Ids continue.
    const bundles = (await call('GET', `/v1/content/${page.guid}/bundles`)).body as { id: string }[];
    const next = await publish({ ...owner, call }, { 'index.html': 'third' }, { guid: page.guid });
    expect(next.task).toMatchObject({ code: 0 });
    const last = (await call('GET', `/v1/content/${page.guid}/bundles`)).body.at(-1);
    expect(Number(last.id)).toBeGreaterThan(Math.max(...bundles.map(({ id }) => Number(id)), 4));
  });

  test('what a running server got after its files were copied is reported, and copied by the next run', async () => {
    const { settings } = await makeBucket();
    await using server = await startTestServer({
      engine: 'sqlite',
      settings: { 'Secrets.Key': settings['Secrets.Key']! },
    });
    const owner = await server.person('publisher');
    const admin = await server.administrator();
    await publish(owner, { 'index.html': '1' });
    const moved = { ...settings, 'Server.DataDir': server.dataDir };
    expect(await run('move-files', moved)).toMatchObject({
      code: 0,
      said: expect.stringMatching(/Bundles: 1 copied [^]*a server uses .*stop it, and run this again/),
    });
    await publish(owner, { 'index.html': '2' });
    const ofBundles = async () => {
      const { findings } = (await admin.call('POST', '/v1/servers/examine')).body;
      return findings.filter(({ name }: { name: string }) => name === 'Bundles');
    };
    await server.restart(settings);
    expect(await ofBundles()).toMatchObject([
      {
        state: 'bad',
        message: '1 of the database are not in its store',
        remedy: expect.stringContaining('move-files'),
      },
    ]);
    await server.running[Symbol.asyncDispose]();
    expect(await run('move-files', moved)).toMatchObject({
      code: 0,
      said: expect.stringMatching(/Bundles: 1 copied [^]*Start the servers with Storage.Type = s3/),
    });
    await server.restart(settings);
    expect(await ofBundles()).toEqual([]);
  });

  test('an interrupted copy of files resumes, and reports damaged files without copying them', async () => {
    const { settings, keys } = await makeBucket();
    await using server = await startTestServer({ engine: 'sqlite' });
    const owner = await server.person('publisher');
    const page = await publish(owner, { 'index.html': '1' });
    for (const text of ['2', '3']) await publish(owner, { 'index.html': text }, { guid: page.guid });
    await using storage = await openStorage(join(server.dataDir, 'pressroom.sqlite'));
    using store = await openS3(loadConfig({}, settings), testLog());
    const options = { db: storage.db, dataDir: server.dataDir, objects: store.objects, check: true };
    const broken = moveFiles({
      ...options,
      onCopied() {
        throw new Error('the power is gone');
      },
    });
    await expect(broken).rejects.toThrow('the power is gone');
    expect(await keys()).toEqual(['bundles/1.tar.gz']);
    await writeFile(join(server.dataDir, 'bundles/3.tar.gz'), 'damaged');
    const resumed = await moveFiles(options);
    expect(resumed).toMatchObject({ bundles: { copied: 1, known: 1 }, missing: [], damaged: ['bundle 3'] });
    expect(await keys()).toEqual(['bundles/1.tar.gz', 'bundles/2.tar.gz']);
  });
}
