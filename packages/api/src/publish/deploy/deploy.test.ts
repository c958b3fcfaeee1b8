import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { ClientOptions } from '../../client/client.ts';
import { createClient } from '../../client/create-client.ts';
import { createFakeClock } from '../../client/testing/fake-clock.ts';
import { startFakeServer, TEST_KEY, type FakeOptions } from '../../client/testing/fake-server.ts';
import { json, refuse } from '../../client/testing/responses.ts';
import { findRecord, readRecords, writeRecord, type StoredRecord } from '../records/record.ts';
import type { DeployEvent, DeployOptions, DoneEvent, SentBundle } from './deploy-events.ts';
import { deploy } from './deploy.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function setup(server: FakeOptions = {}, clientOptions: Partial<ClientOptions> = {}) {
  const fake = await startFakeServer(server);
  const clock = createFakeClock();
  const client = createClient({ url: fake.url, apiKey: TEST_KEY, clock, ...clientOptions });
  const parent = await mkdtemp(path.join(tmpdir(), 'pressroom-deploy-'));
  const dir = path.join(parent, 'Quarterly Report');
  await mkdir(dir);
  await writeFile(path.join(dir, 'index.html'), '<h1>Hello</h1>');
  await writeFile(path.join(dir, 'data.csv'), 'a,b\n'.repeat(1000));
  cleanups.push(
    () => fake.close(),
    () => client.close(),
    () => rm(parent, { recursive: true }),
  );
  const run = async (options: Partial<DeployOptions> = {}, onEvent?: (event: DeployEvent) => unknown) => {
    const events: DeployEvent[] = [];
    for await (const event of deploy({ client, dir, clock, ...options })) {
      events.push(event);
      await onEvent?.(event);
    }
    return {
      events,
      last: events.at(-1) as DeployEvent,
      types: [...new Set(events.map(({ type }) => type))],
    };
  };
  const only = () => [...fake.contents.values()][0];
  return { fake, client, dir, run, only };
}

describe('First deploy', () => {
  test.each(['target', 'pack', 'upload', 'deploy'] as const)(
    'killed at %s is resumed by the next deploy without a second content item',
    async (type) => {
      const { fake, run, client, dir, only } = await setup();
      const killed = deploy({ client, dir, clock: createFakeClock() });
      // The generator is neither iterated further nor closed, as after a kill.
      for (;;) if ((await killed.next()).value?.type === type) break;
      if (type === 'target') await killed.next();
      const { last } = await run();
      expect(last).toMatchObject({ type: 'done', content: { guid: only()?.guid } });
      expect(fake.contents.size).toBe(1);
    },
  );

  test.each(['ga', 'experimental'] as const)('publishes and writes a record (%s)', async (dialect) => {
    const { fake, run, dir, only, client } = await setup({ dialect });
    const { last, types, events } = await run();
    expect(types).toEqual(['read', 'collect', 'target', 'pack', 'upload', 'deploy', 'log', 'done']);
    const content = only();
    expect(content?.name).toBe('Quarterly-Report');
    expect(content?.title).toBe('Quarterly Report');
    expect(last).toMatchObject({
      type: 'done',
      url: `${fake.url}/content/${content?.guid}/`,
      bundle_id: content?.bundle_id,
    });
    expect(events.filter(({ type }) => type === 'log')).toMatchObject([
      { line: 'Building static content...', index: 0 },
      { line: 'Done.', index: 1 },
    ]);
    expect(await findRecord(dir, client.url)).toMatchObject({
      guid: content?.guid,
      name: 'Quarterly-Report',
      app_mode: 'static',
      entrypoint: 'index.html',
      bundle_id: content?.bundle_id,
    });
    expect(await readFile((last as { record: string }).record, 'utf8')).not.toContain(TEST_KEY);
  });

  test('reports the files of the bundle once, before it is deployed', async () => {
    const { run, only } = await setup();
    const told: SentBundle[] = [];
    const { last } = await run({ onUploaded: (bundle) => void told.push(bundle) }, (event) => {
      if (event.type === 'deploy') expect(told).toHaveLength(1);
    });
    expect(told).toMatchObject([{ bundle_id: (last as DoneEvent).bundle_id, guid: only()?.guid }]);
    expect([...told[0]!.checksums.keys()]).toEqual(told[0]!.files.map((file) => file.path));
    expect([...told[0]!.checksums.values()].every((sum) => /^[0-9a-f]{32}$/.test(sum))).toBe(true);
  });

  test('sends an archive with manifest and files, and reports the bytes sent', async () => {
    const { run, only } = await setup();
    const { events } = await run();
    const archive = only()?.bundles[0]?.archive as Buffer;
    const tar = gunzipSync(archive).toString('latin1');
    expect(tar).toContain('manifest.json');
    expect(tar).toContain('<h1>Hello</h1>');
    const upload = events.findLast(({ type }) => type === 'upload');
    expect(upload).toEqual({ type: 'upload', bytes: archive.length, total: archive.length });
    expect(events.find(({ type }) => type === 'collect')).toMatchObject({
      count: 2,
      files: ['data.csv', 'index.html'],
    });
  });

  test.each([
    ['🎉🎉', null],
    ['🎉🎉🎉', '🎉🎉🎉'],
  ])('publishes the directory %s with a title that the server accepts', async (name, title) => {
    const { run, dir, only } = await setup();
    const other = path.join(dir, '..', name);
    await rename(dir, other);
    expect((await run({ dir: other })).last.type).toBe('done');
    expect(only()?.title).toBe(title);
  });

  test('uses another name when the derived one is in use', async () => {
    const { fake, run } = await setup();
    fake.contents.set('x', {
      guid: 'x',
      name: 'Quarterly-Report',
      title: null,
      bundle_id: null,
      bundles: [],
    });
    const { events, last } = await run();
    expect(events.find(({ type }) => type === 'target')).toMatchObject({
      name: 'Quarterly-Report-iiiii',
      created: true,
    });
    expect(last.type).toBe('done');
  });

  test('leaves no temporary file', async () => {
    const { run, dir } = await setup();
    await run();
    expect((await readdir(dir, { recursive: true })).toSorted()).toEqual([
      '.pressroom',
      '.pressroom/deployments',
      '.pressroom/deployments/Quarterly-Report.toml',
      'data.csv',
      'index.html',
    ]);
  });

  test('sends nothing in a dry run', async () => {
    const { fake, run, dir } = await setup();
    const { types } = await run({ dryRun: true });
    expect(types).toEqual(['read', 'collect', 'preview']);
    expect(fake.requests).toEqual([]);
    expect(await readRecords(dir)).toEqual([]);
  });
});

describe('Later deploy', () => {
  test('warns about another size in the response instead of failing', async () => {
    const { fake, run, only } = await setup();
    await run();
    fake.on('POST', /bundles$/, ({ body }, response) => {
      only()?.bundles.push({ id: '999', archive: body });
      json(response, 200, { id: '999', size: body.length + 512 });
    });
    const { last, events } = await run();
    expect(last.type).toBe('done');
    expect(events.filter(({ type }) => type === 'warning')).toEqual([
      { type: 'warning', message: expect.stringMatching(/^The server says that the bundle has \d+ bytes/) },
    ]);
  });

  test('goes to the same content', async () => {
    const { fake, run, only } = await setup();
    await run();
    const { events, last } = await run({ title: 'New title' });
    expect(events.find(({ type }) => type === 'target')).toMatchObject({ created: false });
    expect(fake.contents.size).toBe(1);
    expect(only()?.bundles).toHaveLength(2);
    expect(only()?.title).toBe('New title');
    expect(last).toMatchObject({ type: 'done', bundle_id: only()?.bundles[1]?.id });
  });

  test('warns about a title that the server refuses', async () => {
    const { fake, run } = await setup();
    await run();
    fake.on('PATCH', /./, (_request, response) => refuse(response, 400, 122));
    const { last, events } = await run({ title: 'x' });
    expect(last.type).toBe('done');
    expect(events.filter(({ type }) => type === 'warning')).toEqual([
      { type: 'warning', message: expect.stringMatching(/^The title was not changed: ./) },
    ]);
  });

  test('warns about a title whose change may be lost', async () => {
    const { fake, run } = await setup();
    await run();
    fake.on('PATCH', /./, (_request, response) => response.destroy());
    const { last, events } = await run({ title: 'New title' });
    expect(last.type).toBe('done');
    expect(events.filter(({ type }) => type === 'warning')).toEqual([
      {
        type: 'warning',
        message: expect.stringMatching(/^The title may not have been changed: No response/),
      },
    ]);
  });

  test('keeps the target name that was set during the deploy', async () => {
    const { run, dir } = await setup();
    await run();
    await run({}, async ({ type }) => {
      if (type !== 'upload') return;
      const [{ file, ...record }] = (await readRecords(dir)) as [StoredRecord];
      await writeRecord(dir, { ...record, target: 'staging' }, file);
    });
    const records = await readRecords(dir);
    expect(records.map(({ target }) => target)).toEqual(['staging']);
  });

  test('leaves the record of a later deploy that is live already', async () => {
    const { run, dir, only } = await setup();
    await run();
    const [{ file, ...record }] = (await readRecords(dir)) as [StoredRecord];
    const { last } = await run({}, async ({ type }) => {
      if (type !== 'deploy') return;
      only()!.bundle_id = '999';
      await writeRecord(dir, { ...record, bundle_id: '999' }, file);
    });
    expect(last).toMatchObject({ type: 'done', record: file });
    expect((await readRecords(dir)).map(({ bundle_id }) => bundle_id)).toEqual(['999']);
  });

  test('leaves the record of a deploy that went live while this one asked which bundle is live', async () => {
    const { run, dir, client, only } = await setup();
    await run();
    let isAsked = false;
    const slow: typeof client = {
      ...client,
      async getContent(input) {
        const result = await client.getContent(input);
        if (only()?.bundles.length === 2 && !isAsked) {
          isAsked = true;
          await run();
        }
        return result;
      },
    };
    expect((await run({ client: slow })).last.type).toBe('done');
    expect(isAsked).toBe(true);
    expect((await readRecords(dir)).map(({ bundle_id }) => bundle_id)).toEqual([only()?.bundles[2]?.id]);
  });

  describe('whose record changes meanwhile, as by a switch of the branch,', () => {
    const OTHER_GUID = '99999999-0000-4000-8000-000000000009';
    const during = async (change: (record: StoredRecord) => Promise<unknown>) => {
      const { run, dir, client } = await setup();
      await run();
      const [record] = (await readRecords(dir)) as [StoredRecord];
      const { events, last } = await run({}, ({ type }) => (type === 'deploy' ? change(record) : undefined));
      expect(last.type).toBe('done');
      const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
      return { dir, client, record, last, warnings };
    };

    test('leaves a record of other content in its place', async () => {
      const { dir, last, warnings } = await during(async ({ file, ...record }) => {
        await writeRecord(path.resolve(file, '../../..'), { ...record, guid: OTHER_GUID }, file);
      });
      expect((await readRecords(dir)).map(({ guid }) => guid)).toEqual([OTHER_GUID]);
      expect(last).toMatchObject({ record: null });
      expect(warnings).toEqual([expect.stringContaining('.toml was removed or replaced')]);
    });

    test('leaves merge conflicts for the user to resolve', async () => {
      const conflict = '<<<<<<< HEAD\nbundle_id = "1"\n=======\nbundle_id = "2"\n>>>>>>> other\n';
      const { record, warnings } = await during(({ file }) => writeFile(file, conflict));
      expect(await readFile(record.file, 'utf8')).toBe(conflict);
      expect(warnings).toEqual([expect.stringContaining('it has merge conflicts')]);
    });

    test('does not write a removed record again', async () => {
      const { dir, warnings } = await during(({ file }) => rm(file));
      expect(await readRecords(dir)).toEqual([]);
      expect(warnings).toEqual([expect.stringContaining('was removed or replaced')]);
    });

    test('updates a renamed record in its new file', async () => {
      const { dir, record, warnings } = await during(({ file }) =>
        rename(file, `${file.slice(0, -5)}-2.toml`),
      );
      const records = await readRecords(dir);
      expect(records).toHaveLength(1);
      expect(records[0]?.bundle_id).not.toBe(record.bundle_id);
      expect(warnings).toEqual([]);
    });
  });

  test('creates new content on request', async () => {
    const { fake, run } = await setup();
    await run();
    await run({ publishAsNew: true });
    expect(fake.contents.size).toBe(2);
  });

  test('fails when the content is gone, keeps the record, and gives a hint', async () => {
    const { fake, run, dir, client } = await setup();
    await run();
    fake.contents.clear();
    const { last } = await run();
    expect(last).toMatchObject({ type: 'failed', phase: 'create', code: 4, gone: true });
    expect((last as { hint: string }).hint).toContain('as new content');
    expect(await findRecord(dir, client.url)).toBeDefined();
    expect((await run({ publishAsNew: true })).last.type).toBe('done');
  });

  test.each([
    ['has no drafts', 2, 'This server has no drafts: the bundle would go live.'],
    ['refuses this one', 4, 'bundle 9 is active'],
  ])('A draft on a server that %s says so', async (_what, code, message) => {
    const { fake, run } = await setup();
    // Version 0.1.0 refuses every draft with this code.
    fake.on('POST', /build$/, (_request, response) => refuse(response, 400, 39, 'bundle 9 is active'));
    fake.on('GET', /drafts\/[^/]+$/, (_request, response) => refuse(response, 404, code));
    const { last } = await run({ draft: { preview: null } });
    expect(last).toMatchObject({ type: 'failed', phase: 'deploy', error: message });
  });

  test('fails with the server’s code when it is not permitted', async () => {
    const { fake, run } = await setup();
    await run();
    fake.on('POST', /bundles$/, (_request, response) => refuse(response, 403, 21));
    expect((await run()).last).toMatchObject({
      type: 'failed',
      phase: 'upload',
      code: 21,
      gone: false,
      left: [],
    });
    expect(fake.contents.size).toBe(1);
  });

  test('with a record of another server creates new content and sends that server nothing', async () => {
    const first = await setup();
    const second = await setup();
    await first.run();
    const before = first.fake.requests.length;
    await second.run({ dir: first.dir });
    expect(second.fake.contents.size).toBe(1);
    expect(first.fake.requests).toHaveLength(before);
    expect(await readRecords(first.dir)).toHaveLength(2);
  });
});

describe('Failing deploy', () => {
  test('reports code, error and cause of the task, and keeps the content and its record', async () => {
    const lines = ['Building...', 'Error in library(x)', 'Execution halted'];
    const { fake, run, dir, client } = await setup({ task: { lines, code: 1, error: 'render failed' } });
    const { last } = await run();
    expect(last).toMatchObject({
      type: 'failed',
      phase: 'watch',
      code: 1,
      error: 'render failed',
      cause: { index: 1, line: 'Error in library(x)' },
    });
    expect(fake.contents.size).toBe(1);
    // The next deploy finds the record, but no bundle is live.
    expect(await findRecord(dir, client.url)).toMatchObject({ guid: expect.any(String), bundle_id: null });
  });

  test('gives a hint for the cause and says that the previous version stays live', async () => {
    const task = { lines: ['ok'], code: 0, error: '' };
    const { run } = await setup({ task });
    const hint = async () => ((await run()).last as { hint: string }).hint;
    Object.assign(task, { lines: ['Building...', 'oh no'], code: 1, error: 'it failed' });
    expect(await hint()).toBe('Check the output above, correct the content and publish again.');
    Object.assign(task, { code: 0 });
    expect((await run()).last.type).toBe('done');
    const lines = [
      'Traceback (most recent call last):',
      '  File "/x/app.py", line 2, in <module>',
      "ModuleNotFoundError: No module named 'numpy'",
    ];
    Object.assign(task, { lines, code: 1 });
    expect(await hint()).toBe(
      'requirements.txt must list the package that has numpy. If numpy is a file of yours, the bundle must contain it. The previous version stays live.',
    );
  });

  test('removes new content after a failed upload', async () => {
    const { fake, run, dir } = await setup();
    fake.on('POST', /bundles$/, (_request, response) => refuse(response, 400, 38));
    expect((await run()).last).toMatchObject({
      type: 'failed',
      phase: 'upload',
      code: 38,
      guid: null,
      left: [],
    });
    expect(fake.contents.size).toBe(0);
    expect(await readRecords(dir)).toEqual([]);
    expect(await readdir(dir)).not.toContain('.pressroom');
  });

  test('removes new content after a broken connection', async () => {
    const { fake, run } = await setup();
    fake.on('POST', /bundles$/, (_request, response) => response.destroy());
    expect((await run()).last).toMatchObject({
      type: 'failed',
      phase: 'upload',
      failure: { name: 'NoResponseError' },
    });
    expect(fake.contents.size).toBe(0);
  });

  test.each([
    ['and the same size', (size: number) => size],
    ['and another size', (size: number) => size - 1],
  ])('rejects a bundle that arrived with another checksum %s, and deletes it', async (_name, sizeOf) => {
    const { fake, run, only } = await setup();
    await run();
    fake.on('POST', /bundles$/, ({ body }, response) => {
      only()?.bundles.push({ id: '999', archive: body });
      const sum = { 'x-content-checksum': '0'.repeat(32) };
      json(response, 200, { id: '999', size: sizeOf(body.length) }, sum);
    });
    const { last } = await run();
    expect(last).toMatchObject({ type: 'failed', phase: 'upload', code: 104, left: [] });
    expect(fake.calls().at(-1)).toMatch(/^DELETE .*\/bundles\/999$/);
    expect(only()?.bundles.map(({ id }) => id)).not.toContain('999');
  });

  test('rejects locked content before anything is sent', async () => {
    const { fake, run, only } = await setup();
    await run();
    fake.on('GET', /content\/[^/]+$/, (_request, response) =>
      json(response, 200, { ...only(), bundles: undefined, locked: true, locked_message: 'Frozen.' }),
    );
    const before = fake.calls().length;
    const { last } = await run();
    expect(last).toMatchObject({
      type: 'failed',
      phase: 'create',
      error: expect.stringMatching(/ is locked on the server: Frozen\.$/),
      failure: { name: 'ContentLockedError' },
    });
    expect(
      fake
        .calls()
        .slice(before)
        .filter((call) => !call.startsWith('GET ')),
    ).toEqual([]);
  });

  test('for a missing directory sends no request', async () => {
    const { fake, run } = await setup();
    const { last } = await run({ dir: '/no/such/directory' });
    expect(last).toMatchObject({
      type: 'failed',
      phase: 'collect',
      code: null,
      failure: { name: 'BundleError' },
    });
    expect(fake.requests).toEqual([]);
  });

  test('reports what is left on a server that refuses the cleanup', async () => {
    const { fake, run } = await setup();
    fake.on('POST', /bundles$/, (_request, response) => refuse(response, 400, 134));
    fake.on('DELETE', /content/, (_request, response) => refuse(response, 403, 20));
    const { last } = await run();
    expect(last).toMatchObject({
      type: 'failed',
      left: [expect.stringContaining('is still on the server') as string],
    });
    expect((last as { guid: string }).guid).not.toBeNull();
  });

  test('that was cancelled or interrupted on the server has no cause in its output', async () => {
    const { fake, run } = await setup();
    const end = { finished: true, code: 1, error: 'The task was cancelled.', end_reason: 'cancelled' };
    fake.on('GET', /tasks/, (_request, response) =>
      json(response, 200, { id: 'T', output: ['Error: no'], last: 1, ...end }),
    );
    expect((await run()).last).toMatchObject({
      type: 'failed',
      error: 'The task was cancelled.',
      cause: null,
      hint: 'Publish again. The previous version stays live.',
    });
  });

  test.each(['application/json', 'text/html'])(
    'of a draft on a server with the operations of the contract alone says so, and removes the bundle: 404 as %s',
    async (type) => {
      const { fake, run, only } = await setup({ dialect: 'experimental' });
      await run();
      const before = only()?.bundles.map(({ id }) => id);
      for (const [method, path] of [
        ['POST', /build$/],
        ['GET', /server_settings$/],
      ] as const)
        fake.on(method, path, (_request, response) =>
          response
            .writeHead(404, { 'content-type': type })
            .end(type === 'text/html' ? '<html><title>Not Found</title></html>' : '{"code":2,"error":"No"}'),
        );
      const { last } = await run({ draft: { preview: null } });
      const error = 'This server has no drafts: the bundle would go live.';
      expect(last).toMatchObject({ type: 'failed', phase: 'deploy', error, left: [] });
      expect(only()?.bundles.map(({ id }) => id)).toEqual(before);
    },
  );

  test('keeps the new content of a draft whose address cannot be read', async () => {
    const { fake, run, only } = await setup();
    fake.on('POST', /build$/, (_request, response) => {
      fake.tasks.set('T', { lines: [], finished: true, code: 0, error: '' });
      json(response, 200, { task_id: 'T' });
    });
    fake.on('GET', /drafts/, (_request, response) => refuse(response, 500, 1));
    const { last } = await run({ draft: { preview: null } });
    expect(only()?.bundles).toHaveLength(1);
    // The deploy itself succeeded.
    expect(last).toMatchObject({
      type: 'unknown',
      task_id: 'T',
      guid: only()?.guid,
      first: 0,
      refused: false,
    });
  });

  test('keeps the bundle when a gateway gave up on the response to the deploy', async () => {
    const { fake, run, only } = await setup();
    await run();
    const before = only()?.bundles.length ?? 0;
    fake.on('POST', /deploy$/, (_request, response) =>
      json(response, 504, { message: 'Endpoint request timed out' }),
    );
    const { last } = await run();
    const left = [expect.stringMatching(/^The deploy of bundle \d+ may have started on the server\.$/)];
    expect(last).toMatchObject({ type: 'failed', phase: 'deploy', left });
    expect(only()?.bundles).toHaveLength(before + 1);
  });

  test('follows the task that started although the response was lost, and starts no other one', async () => {
    const { fake, run, only } = await setup();
    let deploys = 0;
    fake.on('POST', /deploy$/, (_request, response) => {
      deploys += 1;
      fake.tasks.set('T', { lines: ['built'], finished: true, code: 0, error: '' });
      response.destroy();
    });
    const by = { time: '2026-01-01T00:00:00Z', user_guid: null, username: null, reason: null };
    fake.on('GET', /release$/, (_request, response) =>
      json(response, 200, {
        content_guid: only()!.guid,
        bundle_id: '1',
        state: 'deploying',
        live_bundle_id: null,
        commit: null,
        steps: [
          { ...by, what: 'uploaded', task_id: null },
          { ...by, what: 'started', task_id: 'T' },
        ],
        draft: null,
        approval: null,
        canary: null,
        use: null,
        links: { results: [], total: 0 },
      }),
    );
    const { events, last } = await run();
    expect(events.filter(({ type }) => type === 'deploy')).toMatchObject([{ task_id: 'T' }]);
    expect(last).toMatchObject({ type: 'done' });
    expect(deploys).toBe(1);
    expect(only()?.bundles).toHaveLength(1);
  });

  test.each(['destroy', 504, 'html'] as const)(
    'asks a server that does not tell its tasks once more after a lost response: %s',
    async (fault) => {
      const { fake, run, only } = await setup();
      let deploys = 0;
      fake.on('POST', /deploy$/, (_request, response) => {
        deploys += 1;
        if (deploys > 1) {
          fake.tasks.set('T', { lines: [], finished: true, code: 0, error: '' });
          json(response, 202, { task_id: 'T' });
        } else if (fault === 'destroy') response.destroy();
        else if (fault === 504) json(response, 504, { message: 'Endpoint request timed out' });
        else response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      });
      expect((await run()).last).toMatchObject({ type: 'done' });
      expect(deploys).toBe(2);
      expect(only()?.bundles).toHaveLength(1);
    },
  );

  test('passes on the refusal that follows a lost response, and removes the bundle', async () => {
    const { fake, run, only } = await setup();
    await run();
    const before = only()?.bundles.length;
    let deploys = 0;
    fake.on('POST', /deploy$/, (_request, response) => {
      deploys += 1;
      if (deploys === 1) response.destroy();
      else refuse(response, 403, 22);
    });
    expect((await run()).last).toMatchObject({ type: 'failed', code: 22, left: [] });
    expect(only()?.bundles).toHaveLength(before!);
  });

  test('is unknown when its task is not found, and keeps the record', async () => {
    const { fake, run, dir, client } = await setup();
    fake.on('GET', /tasks/, (_request, response) => refuse(response, 404, 141));
    const { last } = await run();
    expect(last).toMatchObject({
      type: 'unknown',
      first: 0,
      refused: false,
      task_id: expect.stringMatching(/^task/) as string,
    });
    expect(fake.contents.size).toBe(1);
    expect(await findRecord(dir, client.url)).toBeDefined();
  });

  test('is unknown when its key is revoked, and reports the rejected key', async () => {
    const { fake, run } = await setup();
    fake.on('GET', /tasks/, (_request, response) => refuse(response, 401, 24));
    expect((await run()).last).toMatchObject({ type: 'unknown', refused: true });
    expect(fake.contents.size).toBe(1);
  });

  test('warns when only the record cannot be written', async () => {
    const { run, dir } = await setup();
    await writeFile(path.join(dir, 'x'), '');
    const { events, last } = await run({}, async (event) => {
      if (event.type === 'target') await writeFile(path.join(dir, '.pressroom'), 'a file is in the way');
    });
    expect(events.find(({ type }) => type === 'warning')).toBeDefined();
    expect(last.type).toBe('done');
  });
});

describe('Cancelled deploy', () => {
  const phases = ['read', 'collect', 'target', 'pack', 'upload', 'deploy', 'log'] as const;

  test.each(phases)('leaves nothing at %s of a first deploy', async (phase) => {
    const { fake, run, dir } = await setup();
    const controller = new AbortController();
    const { last } = await run({ signal: controller.signal }, (event) => {
      if (event.type === phase) controller.abort();
    });
    expect(last).toMatchObject({ type: 'cancelled', left: [], guid: null });
    expect(fake.contents.size).toBe(0);
    expect(await readRecords(dir)).toEqual([]);
  });

  test.each(phases)('keeps the earlier bundle at %s of a later deploy', async (phase) => {
    const { run, only, dir, client } = await setup();
    await run();
    const before = only()?.bundles.map(({ id }) => id);
    const controller = new AbortController();
    const { last } = await run({ signal: controller.signal }, (event) => {
      if (event.type === phase) controller.abort();
    });
    // A bundle is deleted on cancel until its task runs. After that it stays on the server.
    const task = phase === 'deploy' || phase === 'log';
    const left = task ? [expect.stringContaining('cannot cancel')] : [];
    expect(last).toMatchObject({ type: 'cancelled', left });
    expect(only()?.bundles.length).toBe(task ? 2 : 1);
    expect(
      only()
        ?.bundles.slice(0, 1)
        .map(({ id }) => id),
    ).toEqual(before);
    expect(typeof (last as { task_id: unknown }).task_id).toBe(task ? 'string' : 'object');
    expect(await findRecord(dir, client.url)).toBeDefined();
  });

  test('removes task and bundle on a server that can cancel, and keeps the old bundle', async () => {
    const { fake, run, only } = await setup();
    await run();
    const before = only()?.bundle_id;
    fake.on('POST', /tasks\/(\w+)\/cancel$/, (_request, response, [, id]) => {
      const task = { lines: [], finished: true, code: 1, error: 'The task was cancelled.' };
      fake.tasks.set(id!, task);
      only()!.bundle_id = before!;
      json(response, 200, { id, output: [], finished: true, code: 1, error: task.error, last: 0 });
    });
    const controller = new AbortController();
    const { last } = await run({ signal: controller.signal }, (event) => {
      if (event.type === 'deploy') controller.abort();
    });
    expect(last).toMatchObject({ type: 'cancelled', left: [], task_id: null });
    expect(only()?.bundles.map(({ id }) => id)).toEqual([before]);
  });

  test.each(['cancelled', 'failed'])(
    'leaves the record of the live bundle when a later deploy is %s',
    async (end) => {
      const { fake, run, dir, client } = await setup();
      await run();
      const before = await findRecord(dir, client.url);
      const controller = new AbortController();
      const { last } = await run({ signal: controller.signal }, (event) => {
        if (event.type !== 'deploy') return;
        if (end === 'cancelled') controller.abort();
        else fake.tasks.set(event.task_id, { lines: [], finished: true, code: 1, error: 'no' });
      });
      expect(last.type).toBe(end);
      expect(await findRecord(dir, client.url)).toEqual(before);
    },
  );

  test('a named content item keeps its entry point, and its record after a failure', async () => {
    const { fake, run, dir } = await setup();
    await writeFile(path.join(dir, 'other.html'), '<h1>Other</h1>');
    await run();
    await run({ publishAsNew: true, entrypoint: 'other.html' });
    const [, before] = await readRecords(dir);
    const { events, last } = await run({ guid: before!.guid }, (event) => {
      if (event.type === 'deploy')
        fake.tasks.set(event.task_id, { lines: [], finished: true, code: 1, error: 'no' });
    });
    expect(events.find(({ type }) => type === 'collect')).toMatchObject({
      entrypoint: before!.entrypoint,
    });
    expect(last).toMatchObject({ type: 'failed', guid: before!.guid });
    expect(await readRecords(dir)).toContainEqual(before);
  });

  test('reports that the result is live when the deploy ended before the cancel', async () => {
    const { fake, run } = await setup();
    await run();
    fake.on('POST', /tasks\/(\w+)\/cancel$/, (_request, response, [, id]) =>
      json(response, 200, { id, output: [], finished: true, code: 0, error: '', last: 0 }),
    );
    const controller = new AbortController();
    const { last } = await run({ signal: controller.signal }, (event) => {
      if (event.type === 'deploy') controller.abort();
    });
    expect(last).toMatchObject({ type: 'cancelled', left: [expect.stringContaining('its result is live')] });
  });

  test('removes the bundle that the server was storing', async () => {
    const { fake, run, only } = await setup();
    await run();
    const controller = new AbortController();
    fake.once('POST', /bundles$/, ({ body }, response) => {
      controller.abort();
      only()?.bundles.push({ id: '999', archive: body });
      setImmediate(() => json(response, 200, { id: '999', size: body.length }));
    });
    const slow = createFakeClock(() => new Promise((resolve) => setImmediate(() => setImmediate(resolve))));
    const clock = {
      ...slow,
      sleep: (ms: number, signal?: AbortSignal) => (ms > 10_000 ? until(signal) : slow.sleep(ms, signal)),
    };
    const { last } = await run({ signal: controller.signal, clock });
    expect(last).toMatchObject({ type: 'cancelled', left: [] });
    expect(only()?.bundles.map(({ id }) => id)).not.toContain('999');
  });

  test('removes the content that was being created', async () => {
    const { fake, run } = await setup();
    const controller = new AbortController();
    fake.once('POST', /^\/v1\/content$/, (_request, response) => {
      controller.abort();
      fake.contents.set('g', { guid: 'g', name: 'n', title: null, bundle_id: null, bundles: [] });
      json(response, 200, { guid: 'g', name: 'nnn' });
    });
    expect((await run({ signal: controller.signal })).last).toMatchObject({ type: 'cancelled', left: [] });
    expect(fake.contents.size).toBe(0);
  });

  test('removes the content when the iteration stops', async () => {
    const { fake, client, dir } = await setup();
    for await (const event of deploy({ client, dir, clock: createFakeClock() }))
      if (event.type === 'target') break;
    expect(fake.contents.size).toBe(0);
  });

  test('stops the task when the iteration stops after a stage of it', async () => {
    const { fake, client, dir } = await setup();
    const stage = { stages: [{ name: 'extract', line: 0 }] };
    fake.on('GET', /tasks/, (_request, response) =>
      json(response, 200, { id: 'T', output: ['a'], last: 1, finished: false, code: 0, error: '', ...stage }),
    );
    for await (const event of deploy({ client, dir, clock: createFakeClock() }))
      if (event.type === 'stage') break;
    expect(fake.contents.size).toBe(0);
  });

  test.each(['pack', 'upload'] as const)(
    'sends and leaves nothing more when the iteration of a later deploy stops at %s',
    async (type) => {
      const { fake, run, client, dir, only } = await setup();
      await run();
      const before = only()?.bundles.map(({ id }) => id);
      const { promise: isStopped, resolve: stopped } = Promise.withResolvers<void>();
      fake.once('POST', /bundles$/, async ({ body }, response) => {
        await isStopped;
        only()?.bundles.push({ id: '999', archive: body });
        json(response, 200, { id: '999', size: body.length });
      });
      const clock = createFakeClock();
      // Told to stop, the upload waits for the id of its bundle.
      const sleep = (ms: number, signal?: AbortSignal) => {
        stopped();
        return ms > 10_000 ? until(signal) : clock.sleep(ms, signal);
      };
      let uploading: Promise<unknown> | undefined;
      const observed: typeof client = {
        ...client,
        uploadContentBundle(...args) {
          const receipt = client.uploadContentBundle(...args);
          uploading = receipt.catch(() => undefined);
          return receipt;
        },
      };
      for await (const event of deploy({ client: observed, dir, clock: { ...clock, sleep } }))
        if (event.type === type) break;
      stopped();
      await uploading;
      expect(only()?.bundles.map(({ id }) => id)).toEqual(before);
    },
  );

  test('waits for a running task before it removes the content', async () => {
    const { fake, run } = await setup();
    const controller = new AbortController();
    fake.once('DELETE', /content/, (_request, response) => refuse(response, 400, 100));
    const { last } = await run({ signal: controller.signal }, (event) => {
      if (event.type === 'deploy') controller.abort();
    });
    expect(last).toMatchObject({ type: 'cancelled', left: [] });
    expect(fake.contents.size).toBe(0);
  });
});

/** Resolves when the signal is aborted. */
function until(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
}
