// Covers variants of documents over HTTP: named sets of values, each with a rendering, a schedule and readers.
import {
  finishedTask,
  makeQuickRenderer,
  publish,
  QUICK_DOCUMENT,
  quickDocument,
  startTestServer,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSchedules } from '../../packages/server/src/schedules/schedules.ts';

const stack = new AsyncDisposableStack();
let server: TestServer;
let owner: Person;
let viewer: Person;
let guid: string;

const report = (code = 'print(f"<{region}|{year}>")') =>
  quickDocument(code, {
    region: { value: 'North', description: 'where' },
    year: { value: 2024, min: 2020, max: 2026, label: 'Fiscal year' },
  });
const metadata = QUICK_DOCUMENT;

const at = (path = '') => `/v1/content/${guid}${path}`;
const make = (body: object, person = owner) => person.call('POST', at('/variants'), { body });
/** Returns what the page of a variant shows to a person. */
const shown = async (key: string, person: Person) => {
  const path = `//content/${guid}/${key === 'default' ? '' : `_variant/${key}/`}`;
  const response = await person.call('GET', path);
  const text = response.bytes.toString();
  return response.status === 200 ? (/&lt;([^<>]*)&gt;/.exec(text)?.[1] ?? text) : response.status;
};
const rendered = async (response: { body: { task_id: string } }, person = owner) => {
  const task = await finishedTask(person, response.body.task_id);
  expect(task).toMatchObject({ code: 0, error: '' });
};

beforeAll(async () => {
  const { settings } = stack.use(await makeQuickRenderer());
  server = stack.use(await startTestServer({ settings: { ...settings, 'Applications.OwnRenderings': 1 } }));
  owner = await server.person('publisher');
  viewer = await server.person('viewer');
  const body = { name: 'sales', access_type: 'logged_in' };
  guid = (await owner.call('POST', '/v1/content', { body })).body.guid;
  await publish(owner, report(), { metadata, guid });
});
afterAll(() => stack.disposeAsync());

test('parameters of a document come from its source, with their descriptions', async () => {
  const { body } = await viewer.call('GET', at('/parameters'));
  expect(body).toMatchObject({ visitors_may_render: false });
  expect(body.parameters).toEqual([
    expect.objectContaining({ name: 'region', input: 'text', value: 'North', help: 'where' }),
    expect.objectContaining({ name: 'year', label: 'Fiscal year', input: 'slider', min: 2020, max: 2026 }),
  ]);
});

describe('Variants of a document', () => {
  let south: string;
  beforeAll(async () => {
    const made = await make({
      name: 'South',
      values: { region: 'South', year: '2025' },
      visibility: 'public',
    });
    south = made.body.key;
    await rendered(made);
  });

  test('a variant has its own rendering beside the default one', async () => {
    expect(await shown(south, viewer)).toBe('South|2025');
    expect(await shown('default', viewer)).toBe('North|2024');
    const all = (await viewer.call('GET', at('/variants'))).body;
    expect(all[1].values).toEqual({ region: 'South', year: 2025 });
    expect(all.map((one: { key: string }) => one.key)).toEqual(['default', south]);
    const history = (await viewer.call('GET', at(`/variants/${south}/renderings`))).body;
    expect(history).toMatchObject([{ values: { region: 'South', year: 2025 }, active: true }]);
  });

  test('rejects values that the document does not accept before rendering', async () => {
    for (const [values, words] of [
      [{ nothing: 1 }, 'there is no parameter nothing'],
      [{ year: 2030 }, 'year must be between 2020 and 2026'],
      [{ year: '$(id)' }, 'year must be a number'],
      [{ region: 'a\u0007b' }, 'region must not have control characters'],
      [{ region: { a: 1 } }, 'region takes text'],
    ] as const) {
      const response = await make({ name: 'x', values });
      expect(response).toMatchObject({ status: 400, body: { code: 25 } });
      expect(response.body.error).toContain(words);
    }
  });

  test('a change of values renders the variant again', async () => {
    await rendered(
      await owner.call('PATCH', at(`/variants/${south}`), { body: { values: { region: 'Far South' } } }),
    );
    expect(await shown(south, owner)).toBe('Far South|2024');
    const after = (await owner.call('GET', at(`/variants/${south}/renderings`))).body;
    expect(after).toHaveLength(2);
    // It may have been private with the values of before.
    const seen = (await viewer.call('GET', at(`/variants/${south}/renderings`))).body;
    expect(seen).toMatchObject([{ values: { region: 'Far South' }, active: true }]);
  });

  test('a private variant is visible to collaborators only', async () => {
    await owner.call('PATCH', at(`/variants/${south}`), { body: { visibility: 'private' } });
    expect(await shown(south, viewer)).toBe(403);
    expect(await viewer.call('GET', at(`/variants/${south}`))).toMatchObject({
      status: 404,
      body: { code: 4 },
    });
    expect((await viewer.call('GET', at('/variants'))).body).toHaveLength(1);
    expect(String(await shown(south, owner))).toContain('Far South');
    expect((await server.anonymous('GET', `//content/${guid}/_variant/${south}/`)).status).toBe(401);
  });

  test('a variant has its own schedule', async () => {
    const set = (schedule: object | null) =>
      owner.call('PATCH', at(`/variants/${south}`), { body: { schedule } });
    expect((await set({ cron: '0 6 * * 1', timezone: 'Europe/Berlin' })).body.schedule).toMatchObject({
      cron: '0 6 * * 1',
      next_time: expect.any(String),
    });
    expect(await owner.call('GET', at('/schedule'))).toMatchObject({ status: 404 });
    const { services } = server.running;
    await services.storage.db
      .updateTable('schedule')
      .set({ next_time: 1 })
      .where('variant_key', '=', south)
      .execute();
    // The server itself looks every few seconds, and may have been first.
    using schedules = createSchedules(services);
    for (const task of await schedules.runDue()) await finishedTask(owner, task);
    const count = async () => (await owner.call('GET', at(`/variants/${south}/renderings`))).body.length;
    await expect.poll(count).toBe(3);
    expect((await set(null)).body.schedule).toBeNull();
    expect(await set({ cron: 'every day' })).toMatchObject({ status: 400, body: { code: 25 } });
  });

  test('promoting copies values and rendering of another variant, with its error codes', async () => {
    const other = await publish(owner, { 'index.html': '<p>' });
    expect(await make({ name: 'y', source_key: 'A'.repeat(16) })).toMatchObject({ body: { code: 67 } });
    const west = await make({ name: 'West', source_key: south, values: { year: 2021 } });
    const promote = (key: string, source_key: string, content = guid) =>
      owner.call('POST', `/v1/content/${content}/variants/${key}/promote`, { body: { source_key } });
    expect(await promote(south, west.body.key)).toMatchObject({ body: { code: 68 } });
    expect(await promote('default', 'default', other.guid)).toMatchObject({ body: { code: 71 } });
    // A variant of another report.
    const { db } = server.running.services.storage;
    const row = await db
      .selectFrom('variant')
      .selectAll()
      .where('variant_key', '=', south)
      .executeTakeFirstOrThrow();
    const foreign = { ...row, variant_key: 'B'.repeat(16), content_guid: other.guid };
    await db.insertInto('variant').values(foreign).execute();
    expect(await make({ name: 'z', source_key: foreign.variant_key })).toMatchObject({ body: { code: 133 } });
    expect(await promote(south, foreign.variant_key)).toMatchObject({ body: { code: 133 } });
    await rendered(west);
    expect(await promote(west.body.key, south)).toMatchObject({ body: { code: 70 } });
    expect(await promote(south, west.body.key)).toMatchObject({ body: { values: { year: 2021 } } });
    expect(String(await shown(south, owner))).toContain('|2021');
    // The shared directory stays as long as one of the variants uses it.
    expect((await owner.call('DELETE', at(`/variants/${west.body.key}`))).status).toBe(204);
    expect(String(await shown(south, owner))).toContain('|2021');
    expect(await shown(west.body.key, owner)).toBe(404);
  });

  test('promoting copies a rendering with its own values, but not while one is rendering', async () => {
    const code = `
import time
if region == "Slow": time.sleep(1)
assert region != "Broken"
print(f"<{region}|{year}>")`;
    const { guid: other } = await publish(owner, report(code), { metadata });
    const variants = `/v1/content/${other}/variants`;
    const create = (name: string) =>
      owner.call('POST', variants, { body: { name, values: { region: name } } });
    const change = (key: string, region: string) =>
      owner.call('PATCH', `${variants}/${key}`, { body: { values: { region } } });
    const promote = (key: string, source_key: string) =>
      owner.call('POST', `${variants}/${key}/promote`, { body: { source_key } });
    const [target, source] = [await create('Target'), await create('Source')];
    await rendered(source);
    const broken = await change(source.body.key, 'Broken');
    expect(await finishedTask(owner, broken.body.task_id)).toMatchObject({ code: 1 });
    // The source still shows its earlier rendering.
    const promoted = await promote(target.body.key, source.body.key);
    expect(promoted.body).toMatchObject({ values: { region: 'Source' }, task_id: source.body.task_id });
    const slow = await change(target.body.key, 'Slow');
    const newer = await change(source.body.key, 'Newer');
    expect(await promote(target.body.key, source.body.key)).toMatchObject({ body: { code: 100 } });
    await rendered(slow);
    await rendered(newer);
    expect(await promote(target.body.key, source.body.key)).toMatchObject({
      body: { values: { region: 'Newer' } },
    });
  });

  test('names are unique, and the default variant keeps its name', async () => {
    expect(await make({ name: 'SOUTH' })).toMatchObject({ status: 409, body: { code: 26 } });
    expect(await make({ name: 'Default' })).toMatchObject({ status: 400, body: { code: 74 } });
    expect(await make({})).toMatchObject({ status: 400, body: { code: 12 } });
    expect(await make({ name: 'x' }, viewer)).toMatchObject({ status: 403, body: { code: 21 } });
    const change = await owner.call('PATCH', at('/variants/default'), { body: { values: {} } });
    expect(change).toMatchObject({ status: 400, body: { code: 39 } });
  });

  test('a deploy renders the variants again', async () => {
    const before = (await owner.call('GET', at(`/variants/${south}`))).body;
    const code = 'print(f"<new {region}|{year}>")';
    await publish(owner, report(code), { metadata, guid });
    await expect.poll(async () => String(await shown(south, owner))).toMatch(/^new .*\|2021/);
    const after = (await owner.call('GET', at(`/variants/${south}`))).body;
    expect(Number(after.bundle_id)).toBeGreaterThan(Number(before.bundle_id));
    const { db } = server.running.services.storage;
    await db
      .updateTable('variant')
      .set({ bundle_id: Number(before.bundle_id) })
      .where('variant_key', '=', south)
      .execute();
    const body = { source_key: 'default' };
    const promoted = await owner.call('POST', at(`/variants/${south}/promote`), { body });
    expect(promoted).toMatchObject({ status: 400, body: { code: 69 } });
  });
});

test('startup renders variants left over from before a deploy', async () => {
  const { body } = await make({ name: 'Left', values: { region: 'West' } });
  await rendered({ body });
  const { task } = await publish(owner, report(), { metadata, guid });
  expect(task).toMatchObject({ code: 0 });
  // Before or during the new rendering of the variants.
  await server.restart();
  const live = (await owner.call('GET', at())).body.bundle_id;
  const bundleOf = async () => (await owner.call('GET', at(`/variants/${body.key}`))).body.bundle_id;
  await expect.poll(bundleOf).toBe(live);
});

test('startup renders variants that an older server version left unfinished', async () => {
  const { body } = await make({ name: 'Broken off', values: { region: 'West' } });
  await rendered({ body });
  const bundleOf = async () => (await owner.call('GET', at(`/variants/${body.key}`))).body.bundle_id;
  const before = await bundleOf();
  await publish(owner, report(), { metadata, guid });
  await expect.poll(bundleOf).not.toBe(before);
  const live = await bundleOf();
  const { db } = server.running.services.storage;
  const { task_id } = await db
    .selectFrom('variant')
    .select('task_id')
    .where('variant_key', '=', body.key)
    .executeTakeFirstOrThrow();
  await db
    .updateTable('task')
    .set({ code: 1, end_reason: 'interrupted' })
    .where('id', '=', task_id)
    .execute();
  await db
    .updateTable('variant')
    .set({ bundle_id: Number(before) })
    .where('variant_key', '=', body.key)
    .execute();
  await server.restart();
  await expect.poll(bundleOf).toBe(live);
});

describe('Renderings of visitors', () => {
  const own = (values: object, person = viewer) => make({ ad_hoc: true, values }, person);

  test('visitors render private values only if the owner allows it', async () => {
    expect(await own({ region: 'East' })).toMatchObject({ status: 403, body: { code: 22 } });
    const allow = { body: { visitors_may_render: true } };
    expect(await viewer.call('PATCH', at('/parameters'), allow)).toMatchObject({ status: 403 });
    expect((await owner.call('PATCH', at('/parameters'), allow)).body.visitors_may_render).toBe(true);

    const made = await own({ region: 'East' });
    expect(made.body).toMatchObject({ ad_hoc: true, name: '', expires_time: expect.any(String) });
    // Only one at a time.
    expect(await own({ region: 'West' })).toMatchObject({ status: 400, body: { code: 100 } });
    await rendered(made, viewer);
    expect(await shown(made.body.key, viewer)).toContain('East|2024');
    const other = await server.person('viewer');
    expect(await shown(made.body.key, other)).toBe(403);
    expect(
      (await other.call('GET', at('/variants'))).body.map(({ key }: { key: string }) => key),
    ).not.toContain(made.body.key);

    // Their values stay theirs, whoever works on the content.
    const publicly = { body: { visibility: 'public' } };
    expect(await owner.call('PATCH', at(`/variants/${made.body.key}`), publicly)).toMatchObject({
      status: 400,
      body: { code: 25 },
    });

    // Only the newest stay, here one.
    const next = await own({ region: 'West' });
    await rendered(next, viewer);
    expect(await shown(made.body.key, viewer)).toBe(404);
    expect(await make({ ad_hoc: true, schedule: { cron: '0 6 * * *' } }, owner)).toMatchObject({
      body: { code: 73 },
    });
  });

  test('a visitor’s rendering expires after a limited time', async () => {
    const [mine] = (await viewer.call('GET', at('/variants'))).body.filter(
      ({ ad_hoc }: { ad_hoc: boolean }) => ad_hoc,
    );
    const { storage } = server.running.services;
    await storage.db
      .updateTable('variant')
      .set({ expires_time: 1 })
      .where('variant_key', '=', mine.key)
      .execute();
    expect(await shown(mine.key, viewer)).toBe(404);
    await server.restart();
    expect(
      await server.running.services.storage.db.selectFrom('variant').selectAll().execute(),
    ).not.toContainEqual(expect.objectContaining({ variant_key: mine.key }));
  });
});
