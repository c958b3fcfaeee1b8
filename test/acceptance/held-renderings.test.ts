// Covers renderings held for review because they show much less than the live one: collaborators make them live or
// discard them.
import { existsSync } from 'node:fs';
import {
  createBrowser,
  finishedTask,
  makeQuickRenderer,
  publish,
  QUICK_DOCUMENT,
  quickDocument,
  startTestServer,
  upload,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Outage } from '../../packages/server/src/platform/outage.ts';
import { findHeld } from '../../packages/server/src/variants/held-store.ts';

const stack = new AsyncDisposableStack();
let server: TestServer;
let owner: Person;
/** A report that all tests share: each continues with the live bundle of the one before. */
let guid: string;
beforeAll(async () => {
  const { settings } = stack.use(await makeQuickRenderer());
  // Nothing listens there, so events stay in the database.
  const events = { 'Events.Webhooks': 'http://127.0.0.1:9/', 'Events.WebhookSecret': 'a signing key' };
  server = stack.use(await startTestServer({ settings: { ...settings, ...events } }));
  owner = await server.person('publisher');
  ({ guid } = await publish(owner, report(40), { metadata }));
  await owner.call('PUT', at('/canary-rule'), { body: { shrink_limit: 50 } });
});
afterAll(() => stack.disposeAsync());

/** A report with this many lines, unless a content variable says otherwise. */
const report = (lines: number) =>
  quickDocument(
    `import os
for i in range(int(os.environ.get("LINES_OF_REPORT", ${lines}))):
    print("Line", i, "of what readers want to know about sales.")`,
    { region: 'North' },
  );
const metadata = QUICK_DOCUMENT;

const at = (path = '') => `/v1/content/${guid}${path}`;
async function deploy(lines: number) {
  const id = await upload(owner, guid, report(lines), metadata);
  return { ...(await run('/deploy', { bundle_id: id })), id };
}
const run = async (path: string, body: object = {}) =>
  finishedTask(owner, (await owner.call('POST', at(path), { body })).body.task_id);
/** Counts the lines of a page. */
async function linesAt(path: string): Promise<number> {
  const { bytes } = await owner.call('GET', `//content/${guid}/${path}`);
  return bytes.toString().split('readers want').length - 1;
}
const liveOf = async () => (await owner.call('GET', at())).body.bundle_id as string;
const drafts = async () => (await owner.call('GET', at('/drafts'))).body;
const limit = (lines: number | null) =>
  owner.call('PATCH', at('/environment'), {
    body: [{ name: 'LINES_OF_REPORT', value: lines === null ? null : String(lines) }],
  });

test('a new bundle that shrank is held for review as a draft, and can go live', async () => {
  const before = await liveOf();
  const held = await deploy(3);
  expect(held).toMatchObject({
    code: 22,
    error: expect.stringMatching(/it is held for review: it has 9\d % less text than what is live/),
  });
  expect([await liveOf(), await linesAt('')]).toEqual([before, 40]);
  const event = await server.running.services.storage.db
    .selectFrom('outgoing_event')
    .select(['reason_code', 'reason_detail'])
    .where('type', '=', 'draft.held')
    .executeTakeFirstOrThrow();
  expect(event).toEqual({ reason_code: 'less_text', reason_detail: expect.stringMatching(/^9\d %$/) });
  expect(await drafts()).toMatchObject([{ bundle_id: held.id, username: owner.username }]);
  expect(await linesAt(`_bundle${held.id}/`)).toBe(3);
  expect((await owner.call('GET', at(`/bundles/${held.id}/release`))).body.state).toBe('held');
  const log = await (await server.administrator()).call('GET', '/v1/audit_logs?limit=1&ascOrder=false');
  expect(log.body.results).toMatchObject([
    { action: 'hold_rendering', user_description: expect.any(String) },
  ]);
  expect(await run('/deploy', { bundle_id: held.id })).toMatchObject({ code: 0 });
  expect([await liveOf(), await linesAt('')]).toEqual([held.id, 3]);
  // A page that grew is not held.
  expect(await deploy(40)).toMatchObject({ code: 0 });
});

test('a draft that shrank is held too, once, unless somebody names it to make it live', async () => {
  const draft = async () => {
    const id = await upload(owner, guid, report(3), metadata);
    const { task_id } = (
      await owner.call('POST', at('/deploy'), { body: { bundle_id: id, activate: false } })
    ).body;
    expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0 });
    return { id, task_id };
  };
  const before = await liveOf();
  // As rsconnect-python does: it opens the draft itself.
  const unseen = await draft();
  expect(await run('/deploy', { bundle_id: unseen.id })).toMatchObject({
    code: 22,
    error: expect.stringMatching(/it is held for review: it has 9\d % less text/),
  });
  expect([await liveOf(), await linesAt('')]).toEqual([before, 40]);
  expect((await owner.call('GET', at(`/bundles/${unseen.id}/release`))).body.state).toBe('held');
  expect(await run('/deploy', { bundle_id: unseen.id })).toMatchObject({ code: 0 });
  expect([await liveOf(), await linesAt('')]).toEqual([unseen.id, 3]);

  expect(await deploy(40)).toMatchObject({ code: 0 });
  const seen = await draft();
  const named = { bundle_id: seen.id, draft_task_id: seen.task_id };
  expect(await run('/deploy', named)).toMatchObject({ code: 0 });
  expect(await liveOf()).toBe(seen.id);
  expect(await deploy(40)).toMatchObject({ code: 0 });
});

test('a variant keeps its rendering until a collaborator shows or discards the held one', async () => {
  const viewer = await server.person('viewer');
  await owner.call('PATCH', at(), { body: { access_type: 'logged_in' } });
  const made = await owner.call('POST', at('/variants'), {
    body: { name: 'South', values: { region: 'South' }, visibility: 'public' },
  });
  const key: string = made.body.key;
  expect(await finishedTask(owner, made.body.task_id)).toMatchObject({ code: 0 });
  const variant = async (person: Person) => (await person.call('GET', at(`/variants/${key}`))).body;
  const renderHeld = async (lines: number) => {
    await limit(lines);
    expect(await run(`/variants/${key}/render`)).toMatchObject({
      code: 22,
      error: expect.stringMatching(/it is held for review: it has 9\d % less text/),
    });
  };
  const lastEntry = async () =>
    (await (await server.administrator()).call('GET', '/v1/audit_logs?limit=1&ascOrder=false')).body.results;
  const decide = (method: string, path: string, person = owner) =>
    person.call(method, at(`/variants/${key}/held${path}`));

  await renderHeld(2);
  expect(await lastEntry()).toMatchObject([{ action: 'hold_rendering' }]);
  expect([await linesAt(`_variant/${key}/`), await linesAt(`_held/${key}/`), await linesAt('')]).toEqual([
    40, 2, 40,
  ]);
  const event = await server.running.services.storage.db
    .selectFrom('outgoing_event')
    .selectAll()
    .where('type', '=', 'render.held')
    .executeTakeFirstOrThrow();
  expect(event).toMatchObject({
    content_guid: guid,
    reason: expect.stringContaining('less text'),
    reason_code: 'less_text',
    reason_detail: expect.stringMatching(/^9\d %$/),
  });
  expect(JSON.parse(event.rendering!)).toMatchObject({ variant: key, rendering_id: null });
  const { held } = await variant(owner);
  expect(held).toMatchObject({
    values: { region: 'South' },
    reason: expect.stringContaining('less text'),
    url: expect.stringMatching(new RegExp(`/content/${guid}/_held/${key}/$`)),
  });
  // Others can neither see nor decide it.
  expect((await variant(viewer)).held).toBeNull();
  expect((await viewer.call('GET', `//content/${guid}/_held/${key}/`)).status).toBe(403);
  for (const [method, path] of [
    ['POST', '/accept'],
    ['DELETE', ''],
  ] as const)
    expect(await decide(method, path, viewer)).toMatchObject({ status: 403, body: { code: 21 } });

  // A new held rendering replaces the previous one. Of two simultaneous decisions, one counts.
  const browser = createBrowser();
  const body = { username: owner.username, password: 'correct horse' };
  await browser.submit(`${server.url}/__login__`, body);
  const page = `${server.url}/__dashboard__/content/${guid}/variants/${key}`;
  const task_id = /name="task_id" value="([^"]+)"/.exec((await browser.get(page)).text)![1]!;
  await renderHeld(3);
  expect(await linesAt(`_held/${key}/`)).toBe(3);
  // A page that shows the previous one, or a call that names it, decides nothing about it.
  const xsrf = browser.cookie(`${server.url}/`, 'RSC-XSRF')!;
  for (const decision of ['accept', 'discard'])
    expect(await browser.submit(`${page}/${decision}`, { xsrf, task_id })).toMatchObject({
      status: 400,
      text: expect.stringContaining('nother rendering of this variant is held by now'),
    });
  const named = await owner.call('POST', at(`/variants/${key}/held/accept`), { body: { task_id } });
  for (const refused of [named, await decide('DELETE', `?task_id=${task_id}`)])
    expect(refused).toMatchObject({ status: 400, body: { code: 100 } });
  const both = await Promise.all([decide('DELETE', ''), decide('POST', '/accept')]);
  expect(both.map(({ status }) => status).filter((status) => status === 404)).toHaveLength(1);
  expect((await variant(owner)).held).toBeNull();

  await limit(null);
  await run(`/variants/${key}/render`);
  await renderHeld(2);
  expect(await decide('POST', '/accept')).toMatchObject({ status: 200, body: { held: null } });
  expect(await lastEntry()).toMatchObject([{ action: 'accept_rendering' }]);
  expect(await linesAt(`_variant/${key}/`)).toBe(2);
  expect((await owner.call('GET', `//content/${guid}/_held/${key}/`)).status).toBe(404);
  // A rendering that grew is shown. So is one with other values, as it is another document.
  await limit(null);
  expect(await run(`/variants/${key}/render`)).toMatchObject({ code: 0 });
  await renderHeld(2);
  const changed = await owner.call('PATCH', at(`/variants/${key}`), { body: { values: { region: 'East' } } });
  expect(await finishedTask(owner, changed.body.task_id)).toMatchObject({ code: 0 });
  expect([await linesAt(`_variant/${key}/`), (await variant(owner)).held]).toEqual([2, null]);
});

test('a rendering is compared with the one that was accepted while it ran', async () => {
  await limit(null);
  const made = await owner.call('POST', at('/variants'), {
    body: { name: 'West', values: { region: 'West' } },
  });
  await finishedTask(owner, made.body.task_id);
  const path = `/variants/${made.body.key}`;
  await limit(2);
  expect(await run(`${path}/render`)).toMatchObject({ code: 22 });
  const { task_id } = (await owner.call('POST', at(`${path}/render`))).body;
  const output = async () => (await owner.call('GET', `/v1/tasks/${task_id}`)).body.output;
  await expect.poll(output, { interval: 10 }).not.toEqual([]);
  expect(await owner.call('POST', at(`${path}/held/accept`))).toMatchObject({ status: 200 });
  expect(await finishedTask(owner, task_id)).toMatchObject({ code: 0, error: '' });
  await limit(null);
});

test('the files of a held rendering are removed with its variant', async () => {
  const { deploys, storage } = server.running.services;
  const made = await owner.call('POST', at('/variants'), {
    body: { name: 'Gone', values: { region: 'Gone' } },
  });
  await finishedTask(owner, made.body.task_id);
  const path = `/variants/${made.body.key}`;
  await limit(2);
  expect(await run(`${path}/render`)).toMatchObject({ code: 22 });
  await limit(null);
  const held = await findHeld(storage.db, made.body.key);
  const directory = deploys.siteDirectory(guid, held!.site);
  expect(existsSync(directory)).toBe(true);
  expect((await owner.call('DELETE', at(path))).status).toBe(204);
  expect(existsSync(directory)).toBe(false);
});

test('a held rendering of the live bundle can be viewed, published or discarded', async () => {
  const live = await liveOf();
  await limit(2);
  const held = await run('/render');
  expect(held).toMatchObject({ code: 22, error: expect.stringContaining('held for review') });
  expect([await linesAt(''), await linesAt(`_bundle${live}/`)]).toEqual([40, 2]);
  // A new held rendering replaces the previous one.
  await limit(4);
  await run('/render');
  expect(await linesAt(`_bundle${live}/`)).toBe(4);
  // A decision on the previous one is refused.
  const [now] = await drafts();
  const publishNamed = (task: string) =>
    owner.call('POST', at('/deploy'), { body: { bundle_id: live, draft_task_id: task } });
  for (const refused of [
    await owner.call('DELETE', at(`/drafts/${live}?task_id=${held.id}`)),
    await publishNamed(held.id),
  ])
    expect(refused).toMatchObject({
      status: 400,
      body: { code: 100, error: expect.stringContaining(`the draft of bundle ${live} has ended`) },
    });
  // So is one while another rendering is on its way.
  const next = (await owner.call('POST', at('/render'))).body.task_id;
  expect(await publishNamed(now.task_id)).toMatchObject({
    status: 400,
    body: { code: 100, error: expect.stringContaining(`in task ${next}`) },
  });
  await finishedTask(owner, next);
  const [newest] = await drafts();
  expect((await owner.call('DELETE', at(`/drafts/${live}?task_id=${newest.task_id}`))).status).toBe(204);
  expect([await linesAt(''), await drafts()]).toEqual([40, []]);
  await run('/render');
  expect(await run('/deploy', { bundle_id: live })).toMatchObject({ code: 0 });
  expect([await linesAt(''), await drafts()]).toEqual([4, []]);
});

test('goes live without a limit, or within it', async () => {
  const render = async (lines: number) => {
    await limit(lines);
    return [await run('/render'), await linesAt('')];
  };
  expect(await render(3)).toMatchObject([{ code: 0 }, 3]);
  await owner.call('PUT', at('/canary-rule'), { body: { shrink_limit: null } });
  expect((await owner.call('GET', at('/canary-rule'))).body.shrink_limit).toBeNull();
  expect(await render(1)).toMatchObject([{ code: 0 }, 1]);
  const administrator = await server.administrator();
  const { results } = (await administrator.call('GET', '/v1/audit_logs?limit=300')).body;
  const rules = results.filter(({ action }: { action: string }) => action === 'edit_canary_rule');
  // Nothing about sessions, which a document does not have.
  expect(rules.map(({ event_description: text }: { event_description: string }) => text)).toEqual([
    expect.stringMatching(/: Renderings that lack more than 50 % of text or pictures are held$/),
    expect.stringMatching(/: renderings are not held$/),
  ]);
  expect(await owner.call('PUT', at('/canary-rule'), { body: { shrink_limit: 100 } })).toMatchObject({
    body: { code: 25 },
  });
  expect(await owner.call('PUT', at('/canary-rule'), { body: { waits: true } })).toMatchObject({
    status: 400,
    body: { code: 39, error: 'waits is for applications and APIs: only they have canaries' },
  });
});

test('a finished rendering waits for a database that is away when it is compared with the live one', async () => {
  const { db } = server.running.services.storage;
  const select = db.selectFrom.bind(db);
  let outages = 0;
  const away = vi.spyOn(db, 'selectFrom').mockImplementation(((table: 'canary_rule') => {
    if (table !== 'canary_rule' || outages > 0) return select(table);
    outages += 1;
    throw new Outage('The database cannot be reached.');
  }) as typeof db.selectFrom);
  try {
    const task = await run('/render');
    expect(task).toMatchObject({ code: 0, error: '' });
    expect(task.output).toContain('The database cannot be reached. Trying again in 2 seconds');
  } finally {
    away.mockRestore();
  }
  expect(outages).toBe(1);
});
