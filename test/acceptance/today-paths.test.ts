// Covers requests of current clients beyond the contract: search, vanity paths, variables, groups, usage, packages,
// settings, processes.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  manifestOf,
  publish,
  refused,
  startTestServer,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertVisits } from '../../packages/server/src/usage/store.ts';

let server: TestServer;
let admin: Person;
let owner: Person;
let viewer: Person;
beforeAll(async () => {
  server = await startTestServer();
  admin = await server.administrator();
  owner = await server.person('publisher');
  viewer = await server.person('viewer');
});
afterAll(() => server[Symbol.asyncDispose]());

let count = 0;

async function create(person: Person, fields: object = {}): Promise<string> {
  count += 1;
  const { body } = await person.call('POST', '/v1/content', { body: { name: `item-${count}`, ...fields } });
  return body.guid;
}

describe('Content search', () => {
  const search = async (person: Person, query: Record<string, string>) => {
    const { status, body } = await person.call(
      'GET',
      `/v1/search/content?${new URLSearchParams(query).toString()}`,
    );
    expect(status).toBe(200);
    return body as { total: number; current_page: number; results: { guid: string; name: string }[] };
  };
  const namesOf = async (person: Person, q: string) =>
    (await search(person, { q })).results.map(({ name }) => name);

  test('finds words of name, title, description and owner in content visible to the caller', async () => {
    const access_type = 'all';
    await create(owner, { name: 'herring', title: 'Fish of the north', access_type });
    await create(owner, { name: 'cod-secret', description: 'FISH, cooked' });
    expect(await namesOf(owner, 'fish')).toEqual(['cod-secret', 'herring']);
    expect(await namesOf(owner, 'fish NORTH')).toEqual(['herring']);
    expect(await namesOf(owner, '"of the north"')).toEqual(['herring']);
    expect(await namesOf(viewer, 'fish')).toEqual(['herring']);
    expect(await namesOf(admin, 'fish')).toEqual(['cod-secret', 'herring']);
    const me = (await owner.call('GET', '/v1/user')).body;
    expect(await namesOf(owner, me.username)).toContain('herring');
  });

  test('owner:, type: and tag: narrow the results', async () => {
    const me = (await owner.call('GET', '/v1/user')).body;
    await create(admin, { name: 'squid-of-admin' });
    const { guid } = await publish(owner, { 'index.html': 'x' }, { fields: { name: 'squid-page' } });
    expect(await namesOf(admin, 'squid owner:@me')).toEqual(['squid-of-admin']);
    expect(await namesOf(admin, `squid owner:${me.username.toUpperCase()}`)).toEqual(['squid-page']);
    expect(await namesOf(admin, 'squid owner:@me owner:nobody')).toEqual(['squid-of-admin']);
    expect(await namesOf(admin, 'squid type:static')).toEqual(['squid-page']);
    expect(await namesOf(admin, 'squid type:shiny')).toEqual([]);
    expect(await namesOf(admin, 'squid type:"web page"')).toEqual(['squid-page']);
    for (const none of ['owner:nobody', 'type:nothing', 'tag:nothing'])
      expect(await namesOf(admin, none)).toEqual([]);
    const category = (await admin.call('POST', '/v1/tags', { body: { name: 'Squid kinds' } })).body;
    const tag = (
      await admin.call('POST', '/v1/tags', { body: { name: 'Giant ones', parent_id: category.id } })
    ).body;
    await owner.call('POST', `/v1/content/${guid}/tags`, { body: { tag_id: tag.id } });
    expect(await namesOf(admin, 'tag:"giant ones"')).toEqual(['squid-page']);
    expect(await namesOf(admin, 'tag:"Squid kinds"')).toEqual(['squid-page']);
    expect(await namesOf(admin, 'tag:other')).toEqual([]);
    expect(await namesOf(admin, 'GIANT squid')).toEqual(['squid-page']);
    expect(await namesOf(admin, guid)).toEqual(['squid-page']);
    const { results } = await search(admin, { q: 'tag:"giant ones"', include: 'owner,tags,vanity_url' });
    expect(results[0]).toMatchObject({
      guid,
      owner: { guid: owner.guid, username: me.username },
      tags: [{ id: tag.id, name: 'Giant ones' }],
      vanity_url: null,
    });
    expect(Object.keys((await search(admin, { q: 'squid' })).results[0]!)).not.toContain('owner');
  });

  test('returns pages with a total in the requested order', async () => {
    for (const name of ['eel-b', 'eel-c', 'eel-a']) await create(owner, { name });
    const q = 'eel-';
    const first = await search(owner, { q, page_size: '2' });
    expect([first.total, first.current_page, first.results.map(({ name }) => name)]).toEqual([
      3,
      1,
      ['eel-a', 'eel-b'],
    ]);
    const second = await search(owner, { q, page_size: '2', page_number: '2' });
    expect([second.total, second.results.map(({ name }) => name)]).toEqual([3, ['eel-c']]);
    expect((await search(owner, { q, page_number: '3', page_size: '2' })).results).toEqual([]);
    const all = (await search(owner, { q: '' })).results.map(({ name }) => name);
    expect(all.filter((name) => name.startsWith(q))).toEqual(['eel-a', 'eel-b', 'eel-c']);
    const newest = await search(owner, { q, sort: 'created', order: 'desc' });
    expect(newest.results.map(({ name }) => name)).toEqual(['eel-a', 'eel-c', 'eel-b']);
    expect(await owner.call('GET', '/v1/search/content?include=secrets')).toMatchObject(refused(400, 25));
    expect(await owner.call('GET', '/v1/search/content?sort=size')).toMatchObject(refused(400, 25));
  });
});

test('only administrators list all vanity paths', async () => {
  const guid = await create(owner);
  await owner.call('PUT', `/v1/content/${guid}/vanity`, { body: { path: 'team/plan' } });
  const { body } = await admin.call('GET', '/v1/vanities');
  expect(body).toContainEqual({ content_guid: guid, path: '/team/plan/', created_time: expect.any(String) });
  expect(await owner.call('GET', '/v1/vanities')).toMatchObject(refused(403, 22));
});

test('PUT of variables replaces them all', async () => {
  const path = `/v1/content/${await create(owner)}/environment`;
  const put = (body: unknown) => owner.call('PUT', path, { body });
  const of = (...names: string[]) => names.map((name) => ({ name, value: 'v' }));
  expect(await put(of('KEEP', 'DROP'))).toMatchObject({ status: 200, body: ['DROP', 'KEEP'] });
  expect(
    (await put([...of('KEEP'), { name: 'NEW', value: 'w' }, { name: 'NONE', value: null }])).body,
  ).toEqual(['KEEP', 'NEW']);
  expect(await put(of('A', 'A'))).toMatchObject(refused(409, 106));
  expect(await put(of('LD_PRELOAD'))).toMatchObject(refused(409, 108));
  expect((await owner.call('GET', path)).body).toEqual(['KEEP', 'NEW']);
  expect((await put([])).body).toEqual([]);
});

test('lists content of a group, with permissions for whoever may read them', async () => {
  const group = (await owner.call('POST', '/v1/groups', { body: { name: 'Anglers' } })).body;
  const guid = await create(owner, { title: 'For anglers' });
  const grant = (principal_guid: string, principal_type: string, role: string) =>
    owner.call('POST', `/v1/content/${guid}/permissions`, { body: { principal_guid, principal_type, role } });
  await grant(group.guid, 'group', 'viewer');
  await grant(admin.guid, 'user', 'owner');
  const path = `/v1/experimental/groups/${group.guid}/content`;
  const { body } = await owner.call('GET', path);
  expect(body).toEqual([
    {
      content_guid: guid,
      content_name: expect.any(String),
      content_title: 'For anglers',
      access_type: 'acl',
      permissions: [
        {
          principal_guid: owner.guid,
          principal_name: expect.any(String),
          principal_role: 'author',
          principal_type: 'user',
        },
        {
          principal_guid: group.guid,
          principal_name: 'Anglers',
          principal_role: 'viewer',
          principal_type: 'group',
        },
        {
          principal_guid: admin.guid,
          principal_name: expect.any(String),
          principal_role: 'publisher',
          principal_type: 'user',
        },
      ],
    },
  ]);
  expect((await admin.call('GET', path)).body).toEqual(body);
  await owner.call('POST', `/v1/groups/${group.guid}/members`, { body: { user_guid: viewer.guid } });
  expect((await viewer.call('GET', `/v1/content/${guid}`)).status).toBe(200);
  expect((await viewer.call('GET', path)).body).toEqual([]);
});

describe('Content hits', () => {
  const path = '/v1/instrumentation/content/hits';

  test('list visits and sessions by time, and only own content for publishers', async () => {
    const { guid } = await publish(owner, { 'index.html': 'x' });
    const { storage } = server.running.services;
    const time = Date.parse('2026-01-02T03:04:05Z') * 1000;
    const visit = { content_guid: guid, user_guid: viewer.guid, bundle_id: 1, data_version: 1 };
    await insertVisits(storage, [
      { ...visit, time: time + 2_000_000, rendering_id: null, variant_key: null },
    ]);
    await insertVisits(storage, [{ ...visit, user_guid: null, time, rendering_id: null, variant_key: null }]);
    const { body } = await owner.call('GET', `${path}?content_guid=${guid}`);
    expect(body).toEqual([
      {
        id: expect.any(Number),
        user_guid: null,
        content_guid: guid,
        timestamp: '2026-01-02T03:04:05.000Z',
        data: { path: null, user_agent: null },
      },
      expect.objectContaining({ user_guid: viewer.guid, timestamp: '2026-01-02T03:04:07.000Z' }),
    ]);
    expect(
      (await owner.call('GET', `${path}?from=2026-01-02T03:04:06Z&to=2026-01-02T03:05:00Z`)).body,
    ).toHaveLength(1);
    const other = await server.person('publisher');
    expect((await other.call('GET', `${path}?content_guid=${guid}`)).body).toEqual([]);
    expect(await owner.call('GET', `${path}?from=yesterday`)).toMatchObject(refused(400, 136));
  });

  test('too many visits return error 83', async () => {
    const guid = await create(owner);
    const { storage } = server.running.services;
    const one = {
      content_guid: guid,
      user_guid: null,
      bundle_id: 1,
      data_version: 1,
      rendering_id: null,
      variant_key: null,
    };
    const many = Array.from({ length: 20_001 }, (_, i) => ({ ...one, time: 1_700_000_000_000_000 + i }));
    for (let i = 0; i < 5; i += 1) await insertVisits(storage, many);
    expect(await owner.call('GET', `${path}?content_guid=${guid}`)).toMatchObject(refused(400, 83));
    const narrow = `${path}?content_guid=${guid}&to=2023-11-14T22:13:20.001Z`;
    expect((await owner.call('GET', narrow)).status).toBe(200);
  });
});

test('lists R packages from the manifest, paged for all content', async () => {
  const { guid } = await publish(owner, { 'index.html': 'x' });
  expect((await owner.call('GET', `/v1/content/${guid}/packages`)).body).toEqual([]);
  const packages = {
    zip: { Source: 'CRAN', description: { Package: 'zip', Version: '2.3.0' } },
    askpass: { Source: 'CRAN', description: { Package: 'askpass', Version: '1.2.1' } },
  };
  const manifest = JSON.stringify({ ...JSON.parse(manifestOf({ 'index.html': 'x' })), packages });
  const { guid: withPackages } = await publish(owner, { 'manifest.json': manifest, 'index.html': 'x' });
  const { body } = await owner.call('GET', `/v1/content/${withPackages}/packages`);
  expect(body).toEqual([
    { language: 'r', name: 'askpass', version: '1.2.1', hash: null },
    { language: 'r', name: 'zip', version: '2.3.0', hash: null },
  ]);
  const all = await admin.call('GET', '/v1/packages?page_size=1000000');
  expect(all.body).toMatchObject({ current_page: 1, total: 2 });
  expect(all.body.results[0]).toEqual({
    language: 'r',
    language_version: null,
    name: 'askpass',
    version: '1.2.1',
    hash: null,
    bundle_id: expect.any(String),
    app_id: withPackages,
    app_guid: withPackages,
  });
  const second = await owner.call('GET', '/v1/packages?page_size=1&page_number=2');
  expect(second.body).toMatchObject({ total: 2, results: [{ name: 'zip' }] });
  expect((await owner.call('GET', '/v1/packages?name=zip')).body.results).toHaveLength(1);
  expect((await owner.call('GET', '/v1/packages?language=python')).body.results).toEqual([]);
  expect((await (await server.person('publisher')).call('GET', '/v1/packages')).body.total).toBe(0);
});

test('returns the settings of applications and processes, and the installed runtimes', async () => {
  const get = (path: string) => owner.call('GET', path);
  expect((await get('/server_settings/applications')).body).toEqual({
    access_types: ['all', 'logged_in', 'acl'],
    run_as: '',
    run_as_group: '',
    run_as_current_user: false,
    max_bundle_size: 10 * 1024 ** 3,
  });
  const scheduler = (await get('/server_settings/scheduler')).body;
  expect(scheduler).toMatchObject({ min_processes: 0, max_processes: 3, load_factor: 0.5, init_timeout: 60 });
  expect((await get('/server_settings/scheduler/python-fastapi')).body).toEqual(scheduler);
  expect((await get('/server_settings/scheduler/jupyter-static')).body).toEqual(scheduler);
  expect(await get('/server_settings/scheduler/static')).toMatchObject(refused(400, 39));
  expect(await get('/server_settings/scheduler/cobol')).toMatchObject(refused(404, 4));
  expect((await get('/v1/server_settings/quarto')).body).toEqual({ installations: [] });
  const node = { version: expect.stringMatching(/^\d+\./) };
  expect((await get('/v1/server_settings/nodejs')).body).toEqual({ enabled: true, installations: [node] });
});

test('lists the TensorFlow Serving version in the form of connectapi, or none', async () => {
  const path = '/v1/server_settings/tensorflow';
  expect((await owner.call('GET', path)).body).toEqual({ installations: [] });
  expect(await viewer.call('GET', path)).toMatchObject(refused(403, 22));
  await using own = await startTestServer({ settings: {} });
  const program = join(own.dataDir, 'tensorflow_model_server');
  await writeFile(program, '#!/bin/sh\necho "TensorFlow ModelServer: 2.14.1-rc0"\n', { mode: 0o755 });
  await own.restart({ 'TensorFlow.Server': program });
  const publisher = await own.person('publisher');
  expect((await publisher.call('GET', path)).body).toEqual({ installations: [{ version: '2.14.1-rc0' }] });
});

test('time zones are available at their older address, too', async () => {
  expect((await viewer.call('GET', '/timezones')).body).toEqual(
    (await viewer.call('GET', '/v1/timezones')).body,
  );
});

test('administrators list running processes and their resource use', async () => {
  const guid = await create(owner, { name: 'runner' });
  const { jobs } = server.running.services;
  const job = await jobs.open({ content_guid: guid, bundle_id: 1, tag: 'run_api' });
  // This process, as its memory use is known.
  await job.begin(process.pid, null);
  expect((await admin.call('GET', '/metrics/procs')).body).toEqual({
    [process.pid]: {
      // A number only, as connectapi requires.
      appId: null,
      appGuid: guid,
      appName: 'runner',
      appUrl: `${server.url}/__dashboard__/content/${guid}`,
      appRunAs: null,
      type: 'run_api',
      cpuCurrent: expect.any(Number),
      cpuTotal: expect.any(Number),
      ram: expect.any(Number),
    },
  });
  expect(await owner.call('GET', '/metrics/procs')).toMatchObject(refused(403, 22));
  await job.end({ code: 0, signal: null, outOfMemory: false, isLost: false, message: 'done' });
  expect((await admin.call('GET', '/metrics/procs')).body).toEqual({});
});
