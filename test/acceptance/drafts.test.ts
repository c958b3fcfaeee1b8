// Covers drafts: deployed without going live, opened by collaborators, made live unchanged, removed at their expiry.
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import {
  finishedTask,
  publish,
  startTestServer,
  upload,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeEndedDrafts } from '../../packages/server/src/deploys/drafts/drafts.ts';
import { API, app, draftSteps } from './draft-steps.ts';

let server: TestServer;
let owner: Person;
let viewer: Person;
const { deploy, draft, drafts, read, sitesOf } = draftSteps(
  () => server,
  () => owner,
);
beforeAll(async () => {
  server = await startTestServer({ own: true });
  owner = await server.person('publisher');
  viewer = await server.person('viewer');
});
afterAll(() => server[Symbol.asyncDispose]());

const page = (text: string) => ({ 'index.html': `<p>${text}` });
const at = (url: string) => `//${new URL(url).pathname.slice(1)}`;

const activeOf = async (guid: string) => (await owner.call('GET', `/v1/content/${guid}`)).body.bundle_id;
const actions = async (guid: string) => {
  const admin = await server.administrator();
  const { results } = (await admin.call('GET', '/v1/audit_logs?ascOrder=false&limit=200')).body;
  return results
    .filter(({ event_description: text }: { event_description: string }) => text.includes(guid))
    .map(({ action }: { action: string }) => action);
};

describe('Drafts', () => {
  test('only collaborators open and list a draft, and the live bundle stays unchanged', async () => {
    const { guid, path } = await publish(owner, page('live'));
    const active = await activeOf(guid);
    const { id, task } = await draft(guid, page('next'));
    expect(task).toMatchObject({ code: 0 });
    const [listed] = await drafts(guid);
    expect(listed).toMatchObject({
      bundle_id: id,
      preview: null,
      url: `${server.url}/content/${guid}/_bundle${id}/`,
      user_guid: owner.guid,
      username: owner.username,
      task_id: task.id,
    });
    const days = (Date.parse(listed.expires_time) - Date.parse(listed.created_time)) / 86_400_000;
    expect(days).toBeCloseTo(14);
    expect((await owner.call('GET', `/v1/content/${guid}/drafts/${id}`)).body).toEqual(listed);
    expect(await read(owner, at(listed.url))).toBe('<p>next');
    expect(await read(viewer, at(listed.url))).toBe(403);
    expect((await server.anonymous('GET', at(listed.url))).status).toBe(401);
    expect((await server.anonymous('GET', path)).bytes.toString()).toBe('<p>live');
    expect(await activeOf(guid)).toBe(active);
    expect((await viewer.call('GET', `/v1/content/${guid}/drafts`)).status).toBe(403);
    expect(await actions(guid)).toContain('deploy_draft');
    // A draft counts neither as a deploy of the content nor its views as visits.
    const deploys = (await owner.call('GET', `/v1/content/${guid}/deploys`)).body;
    expect(deploys.map(({ bundle_id }: { bundle_id: string }) => bundle_id)).toEqual([active]);
    await server.restart();
    const { results } = (await owner.call('GET', `/v1/instrumentation/content/visits?content_guid=${guid}`))
      .body;
    expect(results.map(({ bundle_id }: { bundle_id: number }) => String(bundle_id))).toEqual([active]);
    expect(await read(owner, at(`${server.url}/content/${guid}/_bundle${id}/`))).toBe('<p>next');
  });

  test('a draft before the first deploy uses the newest bundle and becomes the first deploy', async () => {
    const { guid } = (await owner.call('POST', '/v1/content', { body: { name: 'only-draft' } })).body;
    const { id } = await draft(guid, page('first'), { bundle_id: null });
    expect(await read(owner, `//content/${guid}/_bundle${id}/`)).toBe('<p>first');
    expect(await read(owner, `//content/${guid}/`)).toBe(404);
    expect((await owner.call('GET', `/v1/content/${guid}`)).body.app_mode).toBe('unknown');
    const task = await deploy(guid, {});
    expect(task.output).toContain('Nothing is built again: a draft of this bundle is ready');
    expect(await read(owner, `//content/${guid}/`)).toBe('<p>first');
    await expect.poll(() => sitesOf(guid)).toHaveLength(1);
  });

  test('rejects a draft of the active bundle or of another content type', async () => {
    const { guid } = await publish(owner, page('live'));
    const post = (body: object) => owner.call('POST', `/v1/content/${guid}/deploy`, { body });
    expect(await post({ activate: false })).toMatchObject({ status: 400, body: { code: 39 } });
    const other = await upload(owner, guid, { 'app.py': app('x') }, API);
    expect(await post({ bundle_id: other, activate: false })).toMatchObject({
      status: 403,
      body: { code: 48 },
    });
  });

  test('a deploy lock permits new drafts, but stops them from going live', async () => {
    const { guid } = await publish(owner, page('live'));
    await owner.call('PUT', `/v1/content/${guid}/deploy-lock`, { body: { reason: 'freeze' } });
    const { id, task } = await draft(guid, page('next'));
    expect(task.code).toBe(0);
    const refused = await owner.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id: id } });
    expect(refused).toMatchObject({ status: 403, body: { code: 22 } });
    await owner.call('DELETE', `/v1/content/${guid}/deploy-lock`);
    expect(await deploy(guid, { bundle_id: id })).toMatchObject({ code: 0 });
  });

  test('deploying a draft again extends its expiry without a rebuild', async () => {
    const { guid } = await publish(owner, page('live'));
    const { id } = await draft(guid, page('next'));
    const { db } = server.running.services.storage;
    await db.updateTable('draft').set({ expires_time: 1 }).where('bundle_id', '=', Number(id)).execute();
    expect(await drafts(guid)).toEqual([]);
    const again = await deploy(guid, { bundle_id: id, activate: false });
    expect(again.output).toEqual(['The draft is kept longer']);
    const [{ expires_time }] = await drafts(guid);
    expect(Date.parse(expires_time)).toBeGreaterThan(Date.now());
  });
});

describe('Removal of a draft', () => {
  test('discarding removes its address, files and process, but keeps its bundle', async () => {
    const { guid } = await publish(owner, { 'app.py': app('live') }, { metadata: API });
    const { id } = await draft(guid, { 'app.py': app('next') }, {}, API);
    const [{ url }] = await drafts(guid);
    expect(await read(owner, at(url))).toContain('next');
    await expect.poll(() => sitesOf(guid)).toHaveLength(2);
    expect((await owner.call('DELETE', `/v1/content/${guid}/drafts/${id}`)).status).toBe(204);
    expect(await read(owner, at(url))).toBe(404);
    await expect.poll(() => sitesOf(guid)).toHaveLength(1);
    const jobs = (await owner.call('GET', `/v1/content/${guid}/jobs`)).body;
    const running = jobs.filter(({ status }: { status: number }) => status === 0);
    expect(running.map(({ bundle_id }: { bundle_id: string }) => bundle_id)).toEqual([await activeOf(guid)]);
    expect((await owner.call('GET', `/v1/content/${guid}/bundles/${id}`)).status).toBe(200);
    const again = await owner.call('DELETE', `/v1/content/${guid}/drafts/${id}`);
    expect(again).toMatchObject({ status: 404, body: { code: 4 } });
    expect(await actions(guid)).toContain('remove_draft');
  });

  test('an expired draft is removed, and deploying its bundle builds it again', async () => {
    const { guid } = await publish(owner, page('live'));
    const { id } = await draft(guid, page('next'));
    const { services } = server.running;
    const until = (expires_time: number) =>
      services.storage.db
        .updateTable('draft')
        .set({ expires_time })
        .where('bundle_id', '=', Number(id))
        .execute();
    expect(await removeEndedDrafts(services)).toBe(0);
    await until(1);
    // Expired, but its files remain until the clean-up.
    await expect.poll(() => sitesOf(guid)).toHaveLength(2);
    expect(await removeEndedDrafts(services)).toBe(1);
    await expect.poll(() => sitesOf(guid)).toHaveLength(1);
    const task = await deploy(guid, { bundle_id: id });
    expect(task.output.join('\n')).toContain('Extracted');
  });

  test('deleting its bundle or its content removes a draft', async () => {
    const { guid } = await publish(owner, page('live'));
    const [first, second] = [await draft(guid, page('a')), await draft(guid, page('b'))];
    expect((await owner.call('DELETE', `/v1/content/${guid}/bundles/${first.id}`)).status).toBe(204);
    expect(await drafts(guid)).toMatchObject([{ bundle_id: second.id }]);
    await expect.poll(() => sitesOf(guid)).toHaveLength(2);
    expect((await owner.call('DELETE', `/v1/content/${guid}`)).status).toBe(204);
    expect(await readdir(join(server.dataDir, 'content'))).not.toContain(guid);
    const { db } = server.running.services.storage;
    expect(await db.selectFrom('draft').selectAll().where('content_guid', '=', guid).execute()).toEqual([]);
  });

  test('activating a draft while discarding it succeeds and keeps its files', async () => {
    const { guid, path } = await publish(owner, page('live'));
    for (const order of ['activate', 'discard'] as const) {
      const { id } = await draft(guid, page(`by ${order}`));
      const calls = {
        activate: () => owner.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id: id } }),
        discard: () => owner.call('DELETE', `/v1/content/${guid}/drafts/${id}`),
      };
      const [one, other] =
        order === 'activate' ? [calls.activate(), calls.discard()] : [calls.discard(), calls.activate()];
      const [activated, discarded] =
        order === 'activate'
          ? await Promise.all([one, other])
          : (await Promise.all([one, other])).toReversed();
      expect(activated!.status).toBe(200);
      // Already gone, being deployed, or already live.
      expect([204, 400, 404]).toContain(discarded!.status);
      expect(await finishedTask(owner, activated!.body.task_id)).toMatchObject({ code: 0 });
      expect((await server.anonymous('GET', path)).bytes.toString()).toBe(`<p>by ${order}`);
      expect(await drafts(guid)).toEqual([]);
    }
  });

  test('discarding a draft during its deploy is rejected with code 100', async () => {
    const { guid } = await publish(owner, page('live'));
    const { id } = await draft(guid, page('next'));
    const bundle_id = Number(id);
    const { services } = server.running;
    const { storage, tasks } = services;
    const subject = { kind: 'deploy', content_guid: guid, bundle_id, user_guid: owner.guid } as const;
    const task = await storage.write((tx) => tasks.create(tx, subject));
    const discard = () => owner.call('DELETE', `/v1/content/${guid}/drafts/${id}`);
    expect(await discard()).toMatchObject({ status: 400, body: { code: 100 } });
    await storage.db
      .updateTable('draft')
      .set({ expires_time: 1 })
      .where('bundle_id', '=', bundle_id)
      .execute();
    expect(await removeEndedDrafts(services)).toBe(0);
    await tasks.cancel(task);
    expect((await discard()).status).toBe(204);
  });
});

describe('Previews of a branch', () => {
  test('a preview keeps its address for the next push', async () => {
    const { guid } = await publish(owner, page('live'));
    const preview = { preview: 'feature-x' };
    const first = await draft(guid, page('one'), preview);
    const [{ url }] = await drafts(guid);
    expect(url).toBe(`${server.url}/content/${guid}/_preview/feature-x/`);
    expect(await read(owner, at(url))).toBe('<p>one');
    const other = await draft(guid, page('other'), { preview: 'feature-y' });
    const second = await draft(guid, page('two'), preview);
    expect(await read(owner, at(url))).toBe('<p>two');
    expect(await read(viewer, at(url))).toBe(403);
    expect((await drafts(guid)).map((one: { bundle_id: string }) => one.bundle_id)).toEqual([
      second.id,
      other.id,
    ]);
    await expect.poll(() => sitesOf(guid)).toHaveLength(3);
    const slash = await owner.call('GET', at(url).slice(0, -1));
    expect([slash.status, slash.headers.get('location')]).toEqual([308, new URL(url).pathname]);
    expect((await owner.call('GET', `/v1/content/${guid}/bundles/${first.id}`)).status).toBe(200);
    await deploy(guid, { bundle_id: second.id });
    expect(await read(owner, at(url))).toBe(404);
    expect(await read(owner, `//content/${guid}/`)).toBe('<p>two');
  });

  test('of two simultaneous pushes the preview shows the one requested later', async () => {
    const { guid } = await publish(owner, page('live'));
    const [one, two] = [await upload(owner, guid, page('one')), await upload(owner, guid, page('two'))];
    const body = { activate: false, preview: 'main' };
    const push = async (bundle_id: string) =>
      (await owner.call('POST', `/v1/content/${guid}/deploy`, { body: { ...body, bundle_id } })).body.task_id;
    const tasks = [await push(one), await push(two)];
    for (const id of tasks) expect(await finishedTask(owner, id)).toMatchObject({ code: 0 });
    expect(await read(owner, `//content/${guid}/_preview/main/`)).toBe('<p>two');
    expect(await drafts(guid)).toHaveLength(1);
    await expect.poll(() => sitesOf(guid)).toHaveLength(2);
  });

  test.each(['Main', 'a/b', '-a', '..', 'a'.repeat(64), ''])(
    'rejects the preview name %j',
    async (preview) => {
      const { guid } = await publish(owner, page('live'));
      const id = await upload(owner, guid, page('next'));
      const body = { bundle_id: id, activate: false, preview };
      const refused = await owner.call('POST', `/v1/content/${guid}/deploy`, { body });
      expect(refused).toMatchObject({ status: 400, body: { code: 25 } });
    },
  );

  test('rejects a preview in a deploy that goes live', async () => {
    const { guid } = await publish(owner, page('live'));
    const refused = await owner.call('POST', `/v1/content/${guid}/deploy`, { body: { preview: 'x' } });
    expect(refused).toMatchObject({ status: 400, body: { code: 25 } });
  });
});

test('who asks by date only gets a draft that goes live, though its files are older than what it replaces', async () => {
  const { guid, path } = await publish(owner, page('before'), { fields: { name: 'dated' } });
  const [first] = await sitesOf(guid);
  const { id } = await draft(guid, page('after'));
  const site = (await sitesOf(guid)).find((name) => name !== first) ?? '';
  await utimes(join(server.dataDir, 'content', guid, site, 'index.html'), 1_700_000_000, 1_700_000_000);
  const date = (await owner.call('GET', path)).headers.get('last-modified') ?? '';
  await deploy(guid, { bundle_id: id });
  const response = await owner.call('GET', path, { headers: { 'If-Modified-Since': date } });
  expect([response.status, response.bytes.toString()]).toEqual([200, '<p>after']);
});
