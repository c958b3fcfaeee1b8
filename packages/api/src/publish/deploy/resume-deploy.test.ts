import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createClient } from '../../client/create-client.ts';
import { createFakeClock } from '../../client/testing/fake-clock.ts';
import { startFakeServer, TEST_KEY } from '../../client/testing/fake-server.ts';
import { json, refuse } from '../../client/testing/responses.ts';
import { readRecords, writeRecord } from '../records/record.ts';
import type { DeployEvent } from './deploy-events.ts';
import { activateBundle, resumeDeploy } from './resume-deploy.ts';

const GUID = 'cccccccc-0000-4000-8000-000000000009';
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function setup(task: { lines: string[]; finished: boolean; code: number; error: string }) {
  const fake = await startFakeServer();
  const clock = createFakeClock();
  const client = createClient({ url: fake.url, apiKey: TEST_KEY, clock });
  cleanups.push(
    () => fake.close(),
    () => client.close(),
  );
  const bundles = [{ id: '7', archive: Buffer.from('x') }];
  fake.contents.set(GUID, { guid: GUID, name: 'page', title: null, bundle_id: '6', bundles });
  fake.tasks.set('T1', task);
  return { fake, client, clock };
}

async function collect(events: AsyncIterable<DeployEvent>, each?: (event: DeployEvent) => unknown) {
  const all: DeployEvent[] = [];
  for await (const event of events) {
    all.push(event);
    each?.(event);
  }
  return all;
}

const common = { task_id: 'T1', guid: GUID, bundle_id: '7' };

describe('Resumed deploy', () => {
  test('continues with the line after those already seen', async () => {
    const { client, clock } = await setup({ lines: ['one', 'two'], finished: true, code: 0, error: '' });
    const events = await collect(resumeDeploy({ ...common, client, clock, first: 1 }));
    expect(events).toMatchObject([
      { type: 'log', line: 'two', index: 1 },
      { type: 'done', bundle_id: '7' },
    ]);
  });

  test('keeps the record when a newer bundle went live meanwhile', async () => {
    const { client, clock } = await setup({ lines: [], finished: true, code: 0, error: '' });
    const dir = await mkdtemp(join(tmpdir(), 'pressroom-record-'));
    cleanups.push(() => rm(dir, { recursive: true }));
    const record = { server: client.url, guid: GUID, name: 'page', app_mode: 'static', entrypoint: null };
    // The command line deployed a newer bundle while the window that started this deploy was closed.
    const newer = { ...record, bundle_id: '6', deployed_time: '2026-01-01T00:00:00Z' };
    await writeRecord(dir, newer);
    await collect(resumeDeploy({ ...common, bundle_id: '5', client, clock, dir }));
    expect(await readRecords(dir)).toMatchObject([newer]);
  });

  test.each([
    ['a gateway', (response: ServerResponse) => json(response, 502, { message: 'Bad Gateway' }), false],
    ['a server that is gone', (response: ServerResponse) => response.destroy(), false],
    ['a page', (response: ServerResponse) => response.end('<html>Maintenance</html>'), false],
    ['a refused key', (response: ServerResponse) => refuse(response, 401, 24), true],
  ])('that ended well is no failure when its content cannot be read: %s', async (_what, answer, refused) => {
    const { fake, client, clock } = await setup({ lines: ['one'], finished: true, code: 0, error: '' });
    fake.on('GET', /^\/v1\/content\//, (_request, response) => answer(response));
    const events = await collect(resumeDeploy({ ...common, client, clock }));
    expect(events.at(-1)).toMatchObject({
      type: 'unknown',
      task_id: 'T1',
      guid: GUID,
      first: 1,
      refused,
      ended: true,
    });
  });

  test.each([
    ['while it runs', false],
    ['when it has ended', true],
  ])('is unknown and no failure when the right to see it is lost %s', async (_when, ended) => {
    const { fake, client, clock } = await setup({ lines: ['one'], finished: ended, code: 0, error: '' });
    const lost = ended ? /^\/v1\/content\// : /^\/v1\/tasks\//;
    fake.on('GET', lost, (_request, response) => refuse(response, 403, 19));
    const last = (await collect(resumeDeploy({ ...common, client, clock }))).at(-1);
    expect(last).toMatchObject({ type: 'unknown', refused: false, forbidden: true });
    expect(Object.hasOwn(last!, 'ended')).toBe(ended);
  });

  test('reports the cause when it failed meanwhile', async () => {
    const lines = ['Building', 'Error: object not found'];
    const { client, clock } = await setup({ lines, finished: true, code: 39, error: 'it failed' });
    expect((await collect(resumeDeploy({ ...common, client, clock }))).at(-1)).toMatchObject({
      type: 'failed',
      code: 39,
      cause: { line: 'Error: object not found' },
    });
  });

  test('is cancelled on the server, and its bundle is removed', async () => {
    const { fake, client, clock } = await setup({ lines: ['one'], finished: false, code: 0, error: '' });
    const controller = new AbortController();
    fake.on('POST', /tasks\/T1\/cancel$/, (_request, response) =>
      json(response, 200, { id: 'T1', output: [], finished: true, code: 1, error: 'c', last: 1 }),
    );
    const events = await collect(
      resumeDeploy({ ...common, client, clock, signal: controller.signal, ownBundle: true }),
      () => controller.abort(),
    );
    expect(events.at(-1)).toEqual({ type: 'cancelled', phase: 'watch', guid: GUID, task_id: null, left: [] });
    expect(fake.contents.get(GUID)?.bundles).toEqual([]);
  });

  test('is cancelled, and its bundle is removed as soon as the task has let go of it', async () => {
    const { fake, client, clock } = await setup({ lines: ['one'], finished: false, code: 0, error: '' });
    const controller = new AbortController();
    fake.on('POST', /tasks\/T1\/cancel$/, (_request, response) =>
      json(response, 200, { id: 'T1', output: [], finished: true, code: 1, error: 'c', last: 1 }),
    );
    let refusals = 0;
    fake.on('DELETE', /bundles\/7$/, (_request, response) => {
      if (refusals === 2) response.writeHead(204).end();
      else refuse(response, 400, 100);
      refusals += 1;
    });
    const events = await collect(
      resumeDeploy({ ...common, client, clock, signal: controller.signal, ownBundle: true }),
      () => controller.abort(),
    );
    expect(events.at(-1)).toMatchObject({ type: 'cancelled', left: [] });
    expect(refusals).toBe(3);
  });

  test('reports a server that cannot cancel', async () => {
    const { client, clock } = await setup({ lines: ['one'], finished: false, code: 0, error: '' });
    const controller = new AbortController();
    const events = await collect(
      resumeDeploy({ ...common, client, clock, signal: controller.signal, ownBundle: true }),
      () => controller.abort(),
    );
    expect(events.at(-1)).toMatchObject({
      task_id: 'T1',
      left: [expect.stringContaining('cannot cancel')],
    });
  });
});

describe('Activation of an earlier bundle', () => {
  test('runs as a deploy of its own', async () => {
    const { fake, client, clock } = await setup({ lines: [], finished: true, code: 0, error: '' });
    const events = await collect(activateBundle({ client, clock, guid: GUID, bundle_id: '7' }));
    expect(events.map(({ type }) => type)).toEqual(['deploy', 'log', 'log', 'done']);
    expect(fake.calls()).toContain(`POST /v1/content/${GUID}/deploy`);
    const bodies = () =>
      fake.requests
        .filter(({ path }) => path.endsWith('/deploy'))
        .map(({ body }) => JSON.parse(String(body)) as unknown);
    // Servers of others know no such member.
    expect(bodies()).toEqual([{ bundle_id: '7' }]);
    await collect(activateBundle({ client, clock, guid: GUID, bundle_id: '7', draft_task_id: 'D1' }));
    expect(bodies()[1]).toEqual({ bundle_id: '7', draft_task_id: 'D1' });
  });

  test('updates the record of a directory that has one', async () => {
    const { client, clock } = await setup({ lines: [], finished: true, code: 0, error: '' });
    const dir = await mkdtemp(join(tmpdir(), 'pressroom-record-'));
    cleanups.push(() => rm(dir, { recursive: true }));
    const bundle = { client, clock, guid: GUID, bundle_id: '7', dir };
    expect((await collect(activateBundle(bundle))).at(-1)).toMatchObject({ type: 'done', record: null });
    const record = { server: client.url, guid: GUID, name: 'page', app_mode: 'static', entrypoint: null };
    await writeRecord(dir, { ...record, bundle_id: '9', deployed_time: '2026-01-01T00:00:00Z' });
    await collect(activateBundle(bundle));
    const [written] = await readRecords(dir);
    expect(written).toMatchObject({ ...record, bundle_id: '7' });
    expect(written?.deployed_time).not.toBe('2026-01-01T00:00:00Z');
  });

  test('asks once more when the response is lost', async () => {
    const { fake, client, clock } = await setup({ lines: ['one'], finished: true, code: 0, error: '' });
    const sent: unknown[] = [];
    fake.on('POST', /deploy$/, (request, response) => {
      sent.push(JSON.parse(String(request.body)));
      if (sent.length === 1) response.destroy();
      else json(response, 202, { task_id: 'T1' });
    });
    const draft = { client, clock, guid: GUID, bundle_id: '7', draft_task_id: 'D1' };
    const events = await collect(activateBundle(draft));
    // The first may have made the draft live, and so ended it.
    expect(sent).toEqual([{ bundle_id: '7', draft_task_id: 'D1' }, { bundle_id: '7' }]);
    expect(events.map(({ type }) => type)).toEqual(['deploy', 'log', 'done']);
  });

  test('says what may go on when it is cancelled after a lost response', async () => {
    const { fake, client, clock } = await setup({ lines: [], finished: true, code: 0, error: '' });
    const controller = new AbortController();
    fake.on('POST', /deploy$/, (_request, response) => {
      controller.abort();
      response.destroy();
    });
    const bundle = { client, clock, guid: GUID, bundle_id: '7', signal: controller.signal };
    expect(await collect(activateBundle(bundle))).toEqual([
      {
        type: 'cancelled',
        phase: 'deploy',
        guid: GUID,
        task_id: null,
        left: ['The deploy of bundle 7 may have started on the server.'],
      },
    ]);
  });

  test('fails when the content is gone', async () => {
    const { fake, client, clock } = await setup({ lines: [], finished: true, code: 0, error: '' });
    fake.contents.delete(GUID);
    expect(await collect(activateBundle({ client, clock, guid: GUID, bundle_id: '7' }))).toMatchObject([
      { type: 'failed', code: 4, gone: true },
    ]);
  });

  test.each([
    ['the bundle is gone', 404],
    ['a server of others refuses rights with the same code', 403],
  ])('does not say that the content is gone when %s', async (_what, status) => {
    const { fake, client, clock } = await setup({ lines: [], finished: true, code: 0, error: '' });
    fake.on('POST', /deploy$/, (_request, response) => refuse(response, status, 4));
    expect(await collect(activateBundle({ client, clock, guid: GUID, bundle_id: '7' }))).toMatchObject([
      { type: 'failed', code: 4, gone: false },
    ]);
  });
});
