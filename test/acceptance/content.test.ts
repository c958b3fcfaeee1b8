// Covers content items and bundles: fields, rights, deploys (contract, 4.2 and 4.3).
import { makeArchive, refused, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ABSENT = '00000000-0000-4000-8000-000000000000';
const page = makeArchive({ 'index.html': '<h1>hello</h1>', 'style.css': 'h1 { color: red }' });

let server: TestServer;
let admin: Person;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer();
  [admin, owner] = [await server.administrator(), await server.person('publisher')];
});
afterAll(() => server[Symbol.asyncDispose]());

let count = 0;
async function create(body: object = {}, who = owner) {
  count += 1;
  const response = await who.call('POST', '/v1/experimental/content', {
    body: { name: `content-${count}`, ...body },
  });
  expect(response.status).toBe(200);
  return response.body;
}
const upload = (guid: string, archive = page, who = owner) =>
  who.call('POST', `/v1/experimental/content/${guid}/upload`, { raw: archive });
async function deploy(guid: string, body?: object, who = owner) {
  const started = await who.call('POST', `/v1/experimental/content/${guid}/deploy`, body && { body });
  if (started.status !== 200) return started;
  return who.call('GET', `/v1/experimental/tasks/${started.body.task_id}?wait=20`);
}
async function publish(body: object = {}) {
  const content = await create(body);
  const { bundle_id } = (await upload(content.guid)).body;
  expect((await deploy(content.guid)).body).toMatchObject({ code: 0 });
  return { guid: content.guid as string, bundle_id: bundle_id as string };
}

describe('Creating and updating content', () => {
  test('new content has the defaults, and GET returns the same', async () => {
    const content = await create();
    expect(content).toMatchObject({
      title: null,
      description: '',
      access_type: 'acl',
      app_mode: 'unknown',
      bundle_id: null,
      idle_timeout: null,
      role: 'owner',
      owner_guid: owner.guid,
    });
    expect(content.url.endsWith(`/content/${content.guid}/`)).toBe(true);
    expect((await owner.call('GET', `/v1/experimental/content/${content.guid}`)).body).toEqual(content);
    const ga = (await owner.call('GET', `/v1/content/${content.guid}`)).body;
    expect(ga).toMatchObject({
      guid: content.guid,
      content_url: content.url,
      app_role: 'owner',
      parameterized: false,
    });
  });

  test.each([
    ['a short name', { name: 'ab' }, 5],
    ['a name with a dot', { name: 'a.b.c' }, 5],
    ['a name of 65 characters', { name: 'a'.repeat(65) }, 5],
    ['no name', { name: undefined }, 12],
    ['a title of 2 characters', { title: 'ab' }, 122],
    ['a title of 1025 characters', { title: 'a'.repeat(1025) }, 122],
    ['a description of 4097 characters', { description: 'a'.repeat(4097) }, 123],
    ['an unknown access type', { access_type: 'everyone' }, 117],
    ['a timeout below 0', { read_timeout: -1 }, 13],
    ['a load factor above 1', { load_factor: 1.5 }, 13],
    ['a minimum of 6 processes', { min_processes: 6 }, 45],
    ['a maximum of 21 processes', { max_processes: 21 }, 113],
    ['a minimum above the maximum', { min_processes: 4, max_processes: 3 }, 114],
  ])('returns an error for %s', async (_what, fields, code) => {
    const body = { name: 'refused-name', ...fields };
    expect(await owner.call('POST', '/v1/experimental/content', { body })).toMatchObject(refused(400, code));
  });

  test.each([
    ['root', 56],
    ['no-such-account', 57],
  ])('rejects run_as %s', async (run_as, code) => {
    const { guid } = await create();
    const change = (who: Person) => who.call('PATCH', `/v1/content/${guid}`, { body: { run_as } });
    expect(await change(owner)).toMatchObject(refused(403, 22));
    expect(await change(admin)).toMatchObject(refused(400, code));
  });

  test('rejects run_as for static content', async () => {
    const { guid } = await publish();
    const change = await admin.call('PATCH', `/v1/content/${guid}`, { body: { run_as: 'nobody' } });
    expect(change).toMatchObject(refused(400, 55));
  });

  test('run_as is read-only in the experimental form (section 2, Content)', async () => {
    const body = { name: 'runs-as', run_as: 'nobody' };
    for (const who of [owner, admin]) {
      const created = await who.call('POST', '/v1/experimental/content', { body });
      expect(created).toMatchObject({ status: 200, body: { run_as: null } });
      const path = `/v1/experimental/content/${created.body.guid}`;
      expect(await who.call('POST', path, { body })).toMatchObject({ status: 200, body: { run_as: null } });
    }
  });

  test('names are unique for each owner, in the GA form too', async () => {
    await create({ name: 'once-only' });
    for (const path of ['/v1/experimental/content', '/v1/content']) {
      expect(await owner.call('POST', path, { body: { name: 'once-only' } })).toMatchObject(refused(409, 26));
    }
    await create({ name: 'once-only' }, admin);
  });

  test('updates change given fields: null clears, read-only and unknown fields are ignored', async () => {
    const content = await create({ title: 'A title', max_processes: 2 });
    const body = {
      title: null,
      access_type: null,
      max_processes: null,
      app_mode: 'shiny',
      more: 1,
    };
    for (const [method, path, readOnly] of [
      ['POST', '/v1/experimental/content', { owner_guid: ABSENT }],
      // The GA form accepts a new owner from administrators: clients/owner-and-lock.test.ts.
      ['PATCH', '/v1/content', { created_time: '2001-01-01T00:00:00Z' }],
    ] as const) {
      const sent = { body: { ...body, ...readOnly } };
      const changed = await owner.call(method, `${path}/${content.guid}`, sent);
      const expected = {
        title: null,
        access_type: 'acl',
        max_processes: null,
        app_mode: 'unknown',
        owner_guid: owner.guid,
      };
      expect(changed).toMatchObject({ status: 200, body: expected });
    }
  });

  test('AccessTypes forbids an access type', async () => {
    await using strict = await startTestServer({ settings: { 'Applications.AccessTypes': 'acl,logged_in' } });
    const publisher = await strict.person('publisher');
    const body = { name: 'open-page', access_type: 'all' };
    expect(await publisher.call('POST', '/v1/experimental/content', { body })).toMatchObject(
      refused(403, 118),
    );
  });
});

describe('Access rights', () => {
  test('getContent returns 401, 403, 404 and 200 as its four rules say', async () => {
    const { guid } = await create();
    const get = (call: Person['call']) => call('GET', `/v1/experimental/content/${guid}`);
    const viewer = await server.person('viewer');
    expect(await get(server.anonymous)).toMatchObject(refused(401, 24));
    expect(await get(viewer.call)).toMatchObject(refused(403, 19));
    expect(await get(admin.call)).toMatchObject({ status: 200, body: { role: 'none' } });
    expect(await get(owner.call)).toMatchObject({ status: 200, body: { role: 'owner' } });
    await owner.call('POST', `/v1/experimental/content/${guid}`, { body: { access_type: 'logged_in' } });
    expect(await get(viewer.call)).toMatchObject({ status: 200, body: { role: 'viewer' } });
    expect(await owner.call('GET', `/v1/experimental/content/${ABSENT}`)).toMatchObject(refused(404, 4));
    expect(await owner.call('GET', '/v1/experimental/content/abc')).toMatchObject(refused(400, 3));
  });

  test('collaborators update, viewers only read, strangers and administrators cannot upload', async () => {
    const { guid, bundle_id } = await publish();
    const [editor, viewer, stranger] = [
      await server.person('publisher'),
      await server.person('viewer'),
      await server.person('publisher'),
    ];
    const grant = (who: Person, role: string) =>
      owner.call('POST', `/v1/content/${guid}/permissions`, {
        body: { principal_guid: who.guid, principal_type: 'user', role },
      });
    expect((await grant(editor, 'owner')).status).toBe(200);
    expect((await grant(viewer, 'viewer')).status).toBe(200);
    expect(await grant(editor, 'viewer')).toMatchObject(refused(409, 16));
    expect(await grant(owner, 'viewer')).toMatchObject(refused(400, 34));
    const second = await server.person('viewer');
    expect(await grant(second, 'owner')).toMatchObject(refused(403, 33));

    expect((await upload(guid, page, editor)).status).toBe(200);
    expect(await upload(guid, page, viewer)).toMatchObject(refused(403, 22));
    expect(await upload(guid, page, stranger)).toMatchObject(refused(403, 19));
    expect((await upload(guid, page, admin)).body.code).toBe(22);
    const bundle = `/v1/experimental/bundles/${bundle_id}`;
    expect((await viewer.call('GET', bundle)).status).toBe(200);
    expect(await viewer.call('GET', `${bundle}/download`)).toMatchObject(refused(403, 19));
    expect((await editor.call('GET', `${bundle}/download`)).status).toBe(200);
    expect(await stranger.call('GET', bundle)).toMatchObject(refused(403, 19));
    expect(await viewer.call('DELETE', `/v1/experimental/content/${guid}`)).toMatchObject(refused(403, 20));
    expect(await viewer.call('POST', `/v1/experimental/content/${guid}`, { body: {} })).toMatchObject(
      refused(403, 22),
    );
  });

  test('a group permission applies to its members until the group is deleted', async () => {
    const { guid } = await create();
    const member = await server.person('viewer');
    const group = (await owner.call('POST', '/v1/groups', { body: { name: 'Readers' } })).body;
    await owner.call('POST', `/v1/groups/${group.guid}/members`, { body: { user_guid: member.guid } });
    const body = { principal_guid: group.guid, principal_type: 'group', role: 'viewer' };
    expect((await owner.call('POST', `/v1/content/${guid}/permissions`, { body })).status).toBe(200);
    const get = () => member.call('GET', `/v1/content/${guid}`);
    expect(await get()).toMatchObject({ status: 200, body: { app_role: 'viewer' } });
    const listed: { guid: string }[] = (await member.call('GET', '/v1/content')).body;
    expect(listed.map((item) => item.guid)).toContain(guid);
    await owner.call('DELETE', `/v1/groups/${group.guid}`);
    expect(await get()).toMatchObject(refused(403, 19));
  });
});

describe('Deploys and bundles', () => {
  test('deploys the given bundle, else the active one, else the newest, else error 28', async () => {
    const { guid } = await create();
    expect(await deploy(guid)).toMatchObject(refused(404, 28));
    const first = (await upload(guid)).body.bundle_id;
    const second = (await upload(guid)).body.bundle_id;
    const active = async () => (await owner.call('GET', `/v1/content/${guid}`)).body.bundle_id;
    await deploy(guid, {});
    expect(await active()).toBe(second);
    await deploy(guid, { bundle_id: first, unknown: true });
    expect(await active()).toBe(first);
    await deploy(guid, { bundle_id: null });
    expect(await active()).toBe(first);
  });

  test('rejects a bundle that is unknown or belongs to other content', async () => {
    const [a, b] = [await publish(), await create()];
    expect(await deploy(b.guid, { bundle_id: a.bundle_id })).toMatchObject(refused(400, 82));
    expect(await deploy(b.guid, { bundle_id: '999999' })).toMatchObject(refused(404, 4));
    expect(await deploy(b.guid, { bundle_id: 'x' })).toMatchObject(refused(400, 3));
  });

  test('the content type stays as the first deploy set it', async () => {
    const { guid } = await publish();
    const attempt = async (metadata: object) => {
      const { bundle_id } = (
        await upload(guid, makeArchive({ 'index.html': '', 'index.Rmd': '' }, { ...metadata }))
      ).body;
      return deploy(guid, { bundle_id });
    };
    expect(await attempt({ appmode: 'rmd-static', primary_rmd: 'index.Rmd' })).toMatchObject(
      refused(403, 48),
    );
    expect(await attempt({ content_category: 'plot' })).toMatchObject(refused(403, 110));
    expect(await attempt({ has_parameters: true })).toMatchObject(refused(403, 111));
  });

  test('of two first deploys of different types the first one sets the type, and the other fails', async () => {
    const { guid } = await create();
    const ids = [];
    for (const metadata of [{}, { content_category: 'plot' }])
      ids.push((await upload(guid, makeArchive({ 'index.html': '' }, metadata))).body.bundle_id);
    const ends = await Promise.all(ids.map((bundle_id) => deploy(guid, { bundle_id })));
    const codes = ends.map(({ body }) => body.code);
    expect(codes.toSorted((a, b) => a - b)).toEqual([0, 110]);
    const { bundle_id } = (await owner.call('GET', `/v1/content/${guid}`)).body;
    expect(bundle_id).toBe(ids[codes.indexOf(0)]);
  });

  test('an update cannot change the type of deployed content, but may repeat it (section 3)', async () => {
    const { guid } = await create();
    const change = (body: object) => owner.call('POST', `/v1/experimental/content/${guid}`, { body });
    const before = (await owner.call('GET', `/v1/experimental/content/${guid}`)).body;
    expect((await change({ app_mode: 'shiny', content_category: 'site', has_parameters: true })).status).toBe(
      200,
    );
    const otherTypes = { app_mode: 5, content_category: {}, has_parameters: 'true' };
    expect((await change(otherTypes)).status).toBe(200);
    await upload(guid);
    await deploy(guid);
    const { app_mode, content_category, has_parameters } = otherTypes;
    expect(await change({ app_mode })).toMatchObject(refused(403, 48));
    expect(await change({ content_category })).toMatchObject(refused(403, 110));
    expect(await change({ has_parameters })).toMatchObject(refused(403, 111));
    expect(await change({ app_mode: 'shiny' })).toMatchObject(refused(403, 48));
    expect(await change({ content_category: 'plot' })).toMatchObject(refused(403, 110));
    expect(await change({ has_parameters: true })).toMatchObject(refused(403, 111));
    const after = (await owner.call('GET', `/v1/experimental/content/${guid}`)).body;
    expect(after.app_mode).toBe('static');
    for (const whole of [after, before])
      expect(await change(whole)).toMatchObject({ status: 200, body: after });
    // Nobody has read these before the first deploy.
    expect(await change({ ...before, content_category: 'plot' })).toMatchObject(refused(403, 48));
    expect(await change({ ...before, has_parameters: true })).toMatchObject(refused(403, 48));
  });

  test('content without an engine fails by name, and the active bundle stays', async () => {
    const { guid } = await create();
    const model = makeArchive({ 'saved_model.pb': '' }, { appmode: 'tensorflow-saved-model' });
    await upload(guid, model);
    const failed = await deploy(guid);
    expect(failed.body).toMatchObject({ finished: true, code: 39 });
    expect(failed.body.error).toMatch(/TensorFlow\.Server/);
    expect((await owner.call('GET', `/v1/content/${guid}`)).body).toMatchObject({
      app_mode: 'unknown',
      bundle_id: null,
    });
  });

  test('deletes a bundle unless it is the active one', async () => {
    const { guid, bundle_id } = await publish();
    const other = (await upload(guid)).body.bundle_id;
    expect(await owner.call('DELETE', `/v1/experimental/bundles/${bundle_id}`)).toMatchObject(
      refused(400, 75),
    );
    expect((await owner.call('DELETE', `/v1/content/${guid}/bundles/${other}`)).status).toBe(204);
    expect(await owner.call('GET', `/v1/experimental/bundles/${other}`)).toMatchObject(refused(404, 4));
    expect(await owner.call('GET', `/v1/content/${ABSENT}/bundles/${bundle_id}`)).toMatchObject(
      refused(404, 4),
    );
  });

  test('HEAD returns the headers of a download, and counts as none', async () => {
    const { bundle_id } = await publish();
    const path = `/v1/experimental/bundles/${bundle_id}/download`;
    const { status, headers, bytes } = await owner.call('HEAD', path);
    expect({ status, length: headers.get('content-length'), body: bytes.length }).toEqual({
      status: 200,
      length: `${page.length}`,
      body: 0,
    });
    const { body } = await admin.call('GET', '/v1/audit_events?action=download_bundle');
    expect(body.results).not.toContainEqual(expect.objectContaining({ bundle_id }));
  });

  test('concurrent deploys of one content all succeed, each with its own task', async () => {
    const { guid } = await create();
    const bundles = [];
    for (let i = 0; i < 4; i += 1) bundles.push((await upload(guid)).body.bundle_id);
    const tasks = await Promise.all(bundles.map((bundle_id) => deploy(guid, { bundle_id })));
    expect(tasks.map((task) => task.body.code)).toEqual([0, 0, 0, 0]);
    expect(bundles).toContain((await owner.call('GET', `/v1/content/${guid}`)).body.bundle_id);
  });

  test('tasks return their lines from first on, and reject values beyond', async () => {
    const { guid } = await publish();
    const { task_id } = (await owner.call('POST', `/v1/experimental/content/${guid}/deploy`)).body;
    expect(task_id).toMatch(/^[A-Za-z0-9]{16}$/);
    const get = (query: string, who = owner) => who.call('GET', `/v1/experimental/tasks/${task_id}${query}`);
    const whole = (await get('?wait=20')).body;
    expect(whole.last).toBe(whole.output.length);
    expect((await get('?first=1')).body.output).toEqual(whole.output.slice(1));
    expect((await get(`?first=${whole.last}`)).body.output).toEqual([]);
    for (const query of [`?first=${whole.last + 1}`, '?first=-1', '?wait=21', '?wait=-1']) {
      expect(await get(query)).toMatchObject(refused(400, 13));
    }
    const stranger = await server.person('publisher');
    expect(await get('', stranger)).toMatchObject(refused(403, 19));
    // Nor may others learn the number of lines.
    expect(await get(`?first=${whole.last + 1}`, stranger)).toMatchObject(refused(403, 19));
    expect((await get('', admin)).status).toBe(200);
    const stable = (await owner.call('GET', `/v1/tasks/${task_id}`)).body;
    expect(stable).toEqual({ ...whole, result: null, stages: expect.any(Array), end_reason: null });
    // `stages` gives the line at which each stage begins, so that clients need not parse the output.
    const begins = stable.stages.map(({ name, line }: { name: string; line: number }) => [
      name,
      whole.output[line],
    ]);
    expect(begins).toEqual([
      ['extract', expect.stringMatching(/^Extracted/)],
      ['activate', 'Activated'],
    ]);
    expect(await owner.call('GET', '/v1/tasks/AAAAAAAAAAAAAAAA')).toMatchObject(refused(404, 141));
  });

  test('retention deletes the oldest bundles, but never the active one', async () => {
    await using small = await startTestServer({ settings: { 'Applications.BundleRetention': 2 } });
    const publisher = await small.person('publisher');
    const { guid } = (await publisher.call('POST', '/v1/content', { body: { name: 'kept' } })).body;
    const send = () => publisher.call('POST', `/v1/content/${guid}/bundles`, { raw: page });
    const first = (await send()).body.id;
    const { task_id } = (await publisher.call('POST', `/v1/content/${guid}/deploy`)).body;
    await publisher.call('GET', `/v1/tasks/${task_id}?wait=20`);
    for (let i = 0; i < 3; i += 1) await send();
    const ids = (await publisher.call('GET', `/v1/content/${guid}/bundles`)).body.map(
      (bundle: { id: string }) => bundle.id,
    );
    expect(ids).toEqual([first, String(Number(first) + 2), String(Number(first) + 3)]);
  });
});

test('deprecated experimental paths name their replacement', async () => {
  await using modern = await startTestServer({ settings: { 'API.DeprecateExperimental': true } });
  const publisher = await modern.person('publisher');
  const response = await publisher.call('POST', '/v1/experimental/content', { body: { name: 'old-way' } });
  expect(response.headers.get('x-deprecated-endpoint')).toBe('/v1/content');
  const ga = await publisher.call('GET', '/v1/content');
  expect(ga.headers.get('x-deprecated-endpoint')).toBeNull();
});

test('finished tasks expire, but what they deployed stays', async () => {
  await using forgetful = await startTestServer({ settings: { 'Applications.TaskRetention': 0 } });
  const publisher = await forgetful.person('publisher');
  const { guid } = (await publisher.call('POST', '/v1/content', { body: { name: 'expiring' } })).body;
  await publisher.call('POST', `/v1/content/${guid}/bundles`, { raw: page });
  const { task_id } = (await publisher.call('POST', `/v1/content/${guid}/deploy`)).body;
  expect((await publisher.call('GET', `/v1/tasks/${task_id}?wait=20`)).body.finished).toBe(true);
  await forgetful.restart();
  expect(await publisher.call('GET', `/v1/tasks/${task_id}`)).toMatchObject(refused(404, 141));
  expect((await publisher.call('GET', `/v1/content/${guid}`)).body.app_mode).toBe('static');
});
