import { inspect } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import type { ClientOptions, Notice } from './client.ts';
import { createClient } from './create-client.ts';
import { InvalidResponseError, NoResponseError, RefusedError } from './failures.ts';
import { createFakeClock } from './testing/fake-clock.ts';
import { startFakeServer, TEST_KEY, type FakeOptions } from './testing/fake-server.ts';
import { json, refuse } from './testing/responses.ts';

const GUID = 'cccccccc-0000-4000-8000-000000000009';
const cleanups: AsyncDisposable[] = [];
afterEach(async () => {
  for (const item of cleanups.splice(0).toReversed()) await item[Symbol.asyncDispose]();
});

async function setup(server: FakeOptions = {}, options: Partial<ClientOptions> = {}) {
  const fake = await startFakeServer(server);
  const notices: Notice[] = [];
  const client = createClient({
    url: fake.url,
    apiKey: TEST_KEY,
    clock: createFakeClock(),
    onNotice: (notice) => notices.push(notice),
    ...options,
  });
  cleanups.push(fake, client);
  return { fake, client, notices };
}

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  const result = await promise.then(
    () => undefined,
    (error: Error) => error,
  );
  if (result === undefined) throw new Error('The call did not fail.');
  return result;
}

describe('Dialects', () => {
  test('a server with GET /v1/user is called in the GA form and detected once', async () => {
    const { fake, client } = await setup({ dialect: 'ga' });
    const created = await client.createContent({ name: 'report' });
    await client.getContent({ guid: created.guid });
    await client.updateContent({ guid: created.guid, title: 'New title' });
    expect(fake.calls()).toEqual([
      'GET /v1/user',
      'POST /v1/content',
      `GET /v1/content/${created.guid}`,
      `PATCH /v1/content/${created.guid}`,
    ]);
  });

  test('a server without GET /v1/user is called in the experimental form', async () => {
    const { fake, client } = await setup({ dialect: 'experimental' });
    const created = await client.createContent({ name: 'report' });
    await client.updateContent({ guid: created.guid, title: 'New title' });
    await client.updateContent({ guid: created.guid, title: 'Newer title' });
    // The client asks again at the second call: a proxy may have sent the first 404.
    expect(fake.calls()).toEqual([
      'GET /v1/user',
      'POST /v1/experimental/content',
      'GET /v1/user',
      `POST /v1/experimental/content/${created.guid}`,
      `POST /v1/experimental/content/${created.guid}`,
    ]);
  });

  test('a given dialect is used without asking', async () => {
    const { fake, client } = await setup({ dialect: 'both' }, { dialect: 'experimental' });
    await client.createContent({ name: 'report' });
    expect(fake.calls()).toEqual(['POST /v1/experimental/content']);
  });

  test('a remembered dialect is used at once, and a changed one is detected and reported', async () => {
    const told: string[] = [];
    const onDialect = (dialect: string) => void told.push(dialect);
    const first = await setup({ dialect: 'ga' }, { onDialect });
    await first.client.getContent({ guid: GUID }).catch(() => undefined);
    const again = await setup({ dialect: 'ga' }, { onDialect, likelyDialect: 'ga' });
    await again.client.getContent({ guid: GUID }).catch(() => undefined);
    expect(again.fake.calls()).toEqual([`GET /v1/content/${GUID}`]);
    const other = await setup({ dialect: 'experimental' }, { onDialect, likelyDialect: 'ga' });
    await other.client.getContent({ guid: GUID }).catch(() => undefined);
    expect(other.fake.calls().at(-1)).toBe(`GET /v1/experimental/content/${GUID}`);
    expect(told[0]).toBe('ga');
    const updated = await setup({ dialect: 'ga' }, { onDialect, likelyDialect: 'experimental' });
    await updated.client.createContent({ name: 'report' });
    expect(updated.fake.calls().at(-1)).toBe('POST /v1/content');
    expect(told.at(-1)).toBe('ga');
  });

  test('temporary 404s do not settle the experimental dialect', async () => {
    const told: string[] = [];
    const { fake, client } = await setup(
      { dialect: 'both' },
      { onDialect: (dialect) => void told.push(dialect) },
    );
    // A proxy returns 404 while the server behind it restarts.
    fake.once('GET', /.*/, (_request, response) => refuse(response, 404, 2));
    fake.once('GET', /.*/, (_request, response) => refuse(response, 404, 2));
    await expect(client.getContent({ guid: GUID })).rejects.toThrow();
    fake.once('GET', /.*/, (_request, response) => refuse(response, 404, 2));
    await client.createContent({ name: 'report' });
    expect(fake.calls().at(-1)).toBe('POST /v1/experimental/content');
    expect(told).toEqual([]);
    await client.createContent({ name: 'another' });
    expect(fake.calls().at(-1)).toBe('POST /v1/content');
    expect(told).toEqual(['ga']);
  });

  test('both return the same content', async () => {
    const responses = await Promise.all(
      (['ga', 'experimental'] as const).map(async (dialect) => {
        const { client } = await setup({ dialect });
        const {
          dashboard_url,
          url,
          needs_config: _,
          ...rest
        } = await client.createContent({ name: 'report' });
        return { dashboard_url, path: new URL(url).pathname, rest };
      }),
    );
    expect(responses[0]?.rest).toEqual(responses[1]?.rest);
    expect(responses[0]?.rest).toMatchObject({ role: 'owner', has_parameters: true });
    expect(responses[0]?.path).toBe(responses[1]?.path);
    expect(responses.map(({ dashboard_url }) => typeof dashboard_url)).toEqual(['string', 'undefined']);
  });

  test.each(['ga', 'experimental'] as const)(
    'bundles, deploy and task work in the %s form',
    async (dialect) => {
      const { client } = await setup({ dialect });
      const { guid } = await client.createContent({ name: 'report' });
      const uploaded = await client.uploadContentBundle({ guid, archive: Buffer.from('archive') });
      expect(uploaded.size).toBe(7);
      const page = await client.getBundles({ guid });
      expect(page).toMatchObject({ current_page: 1, total: 1 });
      expect(page.results[0]?.id).toBe(uploaded.bundle_id);
      expect((await client.getBundle({ guid, id: uploaded.bundle_id })).size).toBe(7);
      const { task_id } = await client.deployContentBundle({ guid, bundle_id: uploaded.bundle_id });
      const task = await client.getTask({ id: task_id, first: 1 });
      expect(task).toMatchObject({ finished: true, code: 0, output: ['Done.'], last: 2 });
      expect(task).not.toHaveProperty('result');
      const failure = await failureOf(client.deleteBundle({ guid, id: uploaded.bundle_id }));
      expect(failure).toMatchObject({ code: 75, status: 400 });
      const { stream, size } = await client.downloadBundle({ guid, id: uploaded.bundle_id });
      expect(size).toBe(7);
      expect(Buffer.concat(await stream.toArray()).toString()).toBe('archive');
    },
  );

  test('a bundle without its content is requested in the experimental form', async () => {
    const { fake, client } = await setup({ dialect: 'both' });
    const { guid } = await client.createContent({ name: 'report' });
    const { bundle_id } = await client.uploadContentBundle({ guid, archive: Buffer.from('x') });
    expect((await client.getBundle({ id: bundle_id })).id).toBe(bundle_id);
    expect(fake.calls().at(-1)).toBe(`GET /v1/experimental/bundles/${bundle_id}`);
  });

  test('a GA list of bundles is cut to the requested page', async () => {
    const { fake, client } = await setup();
    const { guid } = await client.createContent({ name: 'report' });
    const content = fake.contents.get(guid);
    content?.bundles.push(...['1', '2', '3'].map((id) => ({ id, archive: Buffer.alloc(0) })));
    const page = await client.getBundles({ guid, page_number: 2, page_size: 2 });
    expect(page).toMatchObject({ current_page: 2, total: 3 });
    expect(page.results.map(({ id }) => id)).toEqual(['3']);
  });

  test('a GA list of bundles is whole unless a page is requested', async () => {
    const { fake, client } = await setup();
    const { guid } = await client.createContent({ name: 'report' });
    const ids = Array.from({ length: 25 }, (_, index) => String(index + 1));
    fake.contents.get(guid)?.bundles.push(...ids.map((id) => ({ id, archive: Buffer.alloc(0) })));
    expect((await client.getBundles({ guid })).results.map(({ id }) => id)).toEqual(ids);
    expect((await client.getBundles({ guid, page_number: 2 })).results).toHaveLength(5);
  });

  test('a server with GET /v1/user but no GA path is called in the experimental form', async () => {
    const { fake, client } = await setup({ dialect: 'experimental' });
    fake.on('GET', /^\/v1\/user$/, (_request, response) =>
      json(response, 200, { guid: GUID, username: 'ada' }),
    );
    const { guid } = await client.createContent({ name: 'report' });
    await client.getContent({ guid });
    expect(fake.calls()).toEqual([
      'GET /v1/user',
      'POST /v1/content',
      'POST /v1/experimental/content',
      `GET /v1/experimental/content/${guid}`,
    ]);
  });

  test('a missing object (code 4) does not change the dialect', async () => {
    const { fake, client } = await setup({ dialect: 'both' });
    expect(await failureOf(client.getContent({ guid: GUID }))).toMatchObject({ code: 4 });
    expect(fake.calls()).toEqual(['GET /v1/user', `GET /v1/content/${GUID}`]);
  });

  test('a rejected key is reported, and the dialect is detected afterwards', async () => {
    const { fake, client } = await setup();
    fake.once('GET', /^\/v1\/user$/, (_request, response) => refuse(response, 401, 24));
    expect(await failureOf(client.getContent({ guid: GUID }))).toMatchObject({ code: 24 });
    await client.createContent({ name: 'report' });
    expect(fake.calls()).toEqual(['GET /v1/user', 'GET /v1/user', 'POST /v1/content']);
  });

  test('a deprecated endpoint is reported once', async () => {
    const { fake, client, notices } = await setup({ dialect: 'experimental' });
    const { guid } = await client.createContent({ name: 'report' });
    fake.on('GET', /^\/v1\/experimental\/content\/[^/]+$/, (_request, response) =>
      json(response, 200, { guid }, { 'x-deprecated-endpoint': '/v1/content/{guid}' }),
    );
    await client.getContent({ guid });
    await client.getContent({ guid });
    expect(notices).toMatchObject([
      {
        kind: 'deprecated',
        endpoint: 'GET /v1/experimental/content/{guid}',
        replacement: '/v1/content/{guid}',
      },
    ]);
  });
});

describe('Requests', () => {
  test('accept a base URL with a sub-path, trailing slashes or the API path', async () => {
    const fake = await startFakeServer({ base: '/data/connect' });
    cleanups.push(fake);
    for (const ending of [
      '',
      '/',
      '//',
      '/__api__',
      '/__api__/v1',
      '/__dashboard__/content/x?y#z',
      '/__login__?next=/',
    ]) {
      await using client = createClient({ url: `${fake.url}${ending}`, apiKey: TEST_KEY });
      expect(client.url).toBe(fake.url);
      await client.getCurrentUser();
    }
    expect(new Set(fake.calls())).toEqual(new Set(['GET /v1/user']));
  });

  test('have arguments in path, query and body as in the contract', async () => {
    const { fake, client } = await setup();
    fake.on('GET', /^\/v1\/users/, (_request, response) =>
      json(response, 200, { results: [], total: 0, current_page: 1 }),
    );
    fake.on('PATCH', /environment$/, (_request, response) => json(response, 200, ['A']));
    fake.on('POST', /\/lock$/, (_request, response) => response.end());
    fake.on('PUT', /^\/v1\/users/, (_request, response) => json(response, 200, { username: 'x' }));
    await client.getUsers({ user_role: ['viewer', 'publisher'], asc_order: false, page_size: 5 });
    expect(await client.updateEnvironment({ guid: GUID, body: [{ name: 'A', value: null }] })).toEqual(['A']);
    expect(await client.lockUser({ guid: GUID, locked: true })).toBeUndefined();
    await client.updateUser({ guid: GUID, first_name: 'X' });
    expect(fake.calls()).toEqual([
      'GET /v1/users?user_role=viewer&user_role=publisher&page_size=5&asc_order=false',
      `PATCH /v1/content/${GUID}/environment`,
      `POST /v1/users/${GUID}/lock`,
      `PUT /v1/users/${GUID}`,
    ]);
    const bodies = fake.requests.slice(1).map(({ body }) => JSON.parse(body.toString()) as unknown);
    expect(bodies).toEqual([[{ name: 'A', value: null }], { locked: true }, { first_name: 'X' }]);
  });

  test.each([{ email: '' }, { email: null }, {}])(
    'return an empty email when the server hides it with %j',
    async (hidden) => {
      const { fake, client } = await setup();
      const user = { guid: GUID, username: 'ada', ...hidden };
      const page = { results: [user, { ...user, email: 'bob@example.com' }], total: 2, current_page: 1 };
      fake.on('GET', /^\/v1\/users$/, (_request, response) => json(response, 200, page));
      fake.on('GET', /^\/v1\/users\//, (_request, response) => json(response, 200, user));
      fake.on('GET', /^\/v1\/user$/, (_request, response) => json(response, 200, user));
      fake.on('GET', /\/members$/, (_request, response) => json(response, 200, page));
      const emails = async (asked: Promise<{ results: { email: string }[] }>) =>
        (await asked).results.map(({ email }) => email);
      expect(await emails(client.getUsers())).toEqual(['', 'bob@example.com']);
      expect(await emails(client.getGroupMembers({ group_guid: GUID }))).toEqual(['', 'bob@example.com']);
      expect((await client.getUser({ guid: GUID })).email).toBe('');
      expect((await client.getCurrentUser()).email).toBe('');
    },
  );

  test('encode an identifier so that it cannot leave its place in the path', async () => {
    const { fake, client } = await setup();
    await failureOf(client.getUser({ guid: '../../v1/users?x=#' }));
    expect(fake.calls()).toEqual(['GET /v1/users/..%2F..%2Fv1%2Fusers%3Fx%3D%23']);
    await expect(client.getUser({ guid: '..' })).rejects.toThrow(TypeError);
    await expect(client.getUser({ guid: '' })).rejects.toThrow(TypeError);
  });

  test('send cookies of a response back, except expired ones', async () => {
    const { fake, client } = await setup();
    fake.once('GET', /^\/v1\/user$/, (_request, response) => {
      response.setHeader('set-cookie', [
        'lb=node-2; Path=/; HttpOnly',
        'gone=1; Max-Age=0',
        'other=1; Path=/elsewhere',
      ]);
      json(response, 200, { guid: GUID });
    });
    await client.getCurrentUser();
    await client.getCurrentUser();
    expect(fake.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, 'lb=node-2']);
  });

  test('send the session and its XSRF token after login, and no key', async () => {
    const { fake, client } = await setup({}, { apiKey: undefined });
    fake.on('POST', /^\/__login__$/, (_request, response) => {
      response.setHeader('set-cookie', ['rsconnect=abc; Path=/', 'RSC-XSRF=t%2Bk; Path=/']);
      json(response, 200, {});
    });
    fake.on('POST', /^\/keys$/, (_request, response) =>
      json(response, 200, { id: 1, key: 'new-key', name: 'n' }),
    );
    await client.login({ username: 'ada', password: 'secret' });
    const made = await client.createOwnApiKey({ name: 'n' });
    expect(made).toMatchObject({ id: '1', key: 'new-key' });
    expect(fake.requests[1]?.headers).toMatchObject({
      cookie: 'rsconnect=abc; RSC-XSRF=t%2Bk',
      'x-rsc-xsrf': 't+k',
    });
    expect(fake.requests[1]?.headers.authorization).toBeUndefined();
  });
});

describe('Responses', () => {
  test('may have unknown fields and lack others', async () => {
    const { fake, client } = await setup();
    fake.on('GET', /^\/v1\/content\//, (_request, response) =>
      json(response, 200, { guid: GUID, brand_new: 1, bundle_id: 12 }),
    );
    const content = await client.getContent({ guid: GUID });
    expect(content).toMatchObject({ guid: GUID, brand_new: 1, bundle_id: '12' });
  });

  test('have null instead of what an older server leaves out', async () => {
    const { fake, client } = await setup();
    fake.on('GET', /^\/v1\/content\//, (_request, response) =>
      json(response, 200, { guid: GUID, description: null }),
    );
    const content = await client.getContent({ guid: GUID });
    expect(content).toMatchObject({ bundle_id: null, title: null, py_version: null, description: '' });
    expect(content).not.toHaveProperty('dashboard_url');
  });

  test('have empty lists and objects instead of what an older server leaves out', async () => {
    const { fake, client } = await setup();
    fake.on('GET', /releases?$/, (_request, response) =>
      json(response, 200, { guid: GUID, bundle_id: '7', steps: null }),
    );
    const release = await client.getBundleRelease({ guid: GUID, id: '7' });
    expect(release).toMatchObject({ steps: [], links: { results: [], total: 0 }, canary: null, use: null });
    fake.on('GET', /canary$/, (_request, response) => json(response, 200, { bundle_id: '7', task_id: 'T' }));
    expect(await client.getCanary({ guid: GUID })).toMatchObject({ live: { requests: 0, p90_ms: null } });
    fake.on('GET', /tasks/, (_request, response) =>
      json(response, 200, { id: 'T', finished: true, code: 0 }),
    );
    const task = await client.getTask({ id: 'T' });
    expect(task.output).toEqual([]);
    // No stages are something else than unknown ones.
    expect(task.stages).toBeUndefined();
  });

  test.each([1, 'x1', null])('may have a visit whose bundle_id is %j', async (bundle_id) => {
    const { fake, client } = await setup();
    fake.on('GET', /visits/, (_request, response) =>
      json(response, 200, {
        paging: { next: null, cursors: {} },
        results: [{ content_guid: GUID, bundle_id, rendering_id: bundle_id }],
      }),
    );
    const { results } = await client.getContentVisits();
    expect(results[0]).toMatchObject({ bundle_id, rendering_id: bundle_id });
  });

  test.each([
    ['a text', 'ab', []],
    ['a number', 1, []],
    ['a list with other values', ['a', null, 1], ['a', '', '1']],
  ])('may have a task whose output is %s', async (_name, output, lines) => {
    const { fake, client } = await setup();
    fake.on('GET', /tasks/, (_request, response) =>
      json(response, 200, { id: 'T', finished: true, output, last: 1 }),
    );
    expect((await client.getTask({ id: 'T' })).output).toEqual(lines);
  });

  test.each([
    ['a list instead of an object', '[]'],
    ['no task_id', '{}'],
    ['a task_id of the wrong type', '{"task_id":{}}'],
  ])('with %s throw InvalidResponseError', async (_name, body) => {
    const { fake, client } = await setup();
    fake.on('POST', /deploy$/, (_request, response) => response.end(body));
    const failure = await failureOf(client.deployContentBundle({ guid: GUID }));
    expect(failure).toBeInstanceOf(InvalidResponseError);
    expect(failure).toMatchObject({ kind: 'wrong-shape', operation: 'deployContentBundle' });
  });

  test('with the login page of a proxy are reported as such', async () => {
    const { fake, client } = await setup();
    fake.on('GET', /users/, (_request, response) => {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<html><title>Corporate  Login</title></html>');
    });
    const failure = await failureOf(client.getUsers());
    expect(failure).toMatchObject({ name: 'InvalidResponseError', kind: 'html', status: 200 });
    expect(failure.message).toContain('Corporate Login');
    expect((failure as InvalidResponseError).hint).toContain('sign-in page of a proxy');
  });

  test.each([
    ['deleteContent', 'DELETE', /content/, { guid: GUID }],
    ['lockUser', 'POST', /lock/, { guid: GUID, locked: true }],
    ['login', 'POST', /__login__/, { username: 'ada', password: 'secret' }],
  ] as const)(
    'to %s with the login page of a proxy are a failure, though no data is expected',
    async (name, method, path, args) => {
      const { fake, client } = await setup({}, { dialect: 'ga' });
      const type = { 'content-type': 'text/html' };
      fake.on(method, path, (_request, response) =>
        response.writeHead(200, type).end('<html><title>Corporate Login</title></html>'),
      );
      const call = client[name] as (given: object) => Promise<void>;
      const failure = await failureOf(call(args));
      expect(failure).toMatchObject({ name: 'InvalidResponseError', kind: 'html', status: 200 });
      expect(failure.message).toContain('Corporate Login');
      // Some frameworks name this type for empty responses, too.
      fake.on(method, path, (_request, response) => response.writeHead(200, type).end());
      expect(await call(args)).toBeUndefined();
    },
  );

  test.each([
    ['nginx', '<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>'],
    ['Apache', "<p>Reason: You're speaking plain HTTP to an SSL-enabled server port.</p>"],
    ['Go', 'Client sent an HTTP request to an HTTPS server.'],
  ])('of %s to an address without https name the remedy', async (_name, body) => {
    const { fake, client } = await setup();
    fake.on('GET', /users/, (_request, response) => response.writeHead(400).end(body));
    const failure = await failureOf(client.getUsers());
    expect(failure).toBeInstanceOf(InvalidResponseError);
    expect((failure as InvalidResponseError).hint).toContain('https://');
  });

  test('that are not JSON throw InvalidResponseError', async () => {
    const { fake, client } = await setup();
    fake.on('GET', /users/, (_request, response) => response.end('OK'));
    expect(await failureOf(client.getUsers())).toMatchObject({
      name: 'InvalidResponseError',
      kind: 'not-json',
    });
  });

  test('with 413 from a proxy hint at large files', async () => {
    const { fake, client } = await setup();
    fake.on('POST', /bundles$/, (_request, response) =>
      response.writeHead(413).end('<html>too large</html>'),
    );
    const failure = await failureOf(client.uploadContentBundle({ guid: GUID, archive: Buffer.alloc(9) }));
    expect(failure).toMatchObject({ name: 'InvalidResponseError', status: 413 });
    expect((failure as InvalidResponseError).hint).toContain('exclude large files');
  });

  test.each([
    ['No permission for the operation', 'If it is yours, ask an administrator for the publisher role.'],
    ['ada locked deploys of this content: freeze', 'If it is yours, ask an administrator of the server.'],
  ])(
    'that deny permission point to the owner, and to a role if no reason is given: %s',
    async (error, hint) => {
      const { fake, client } = await setup();
      fake.on('POST', /content$/, (_request, response) =>
        json(response, 403, { code: 22, error, payload: null }),
      );
      const failure = (await failureOf(client.createContent({ name: 'report' }))) as RefusedError;
      expect(failure.hint).toContain('Ask the owner of the content');
      expect(failure.hint).toContain(hint);
    },
  );

  test.each([
    ['Item is being processed, cannot remove', 'Wait until the running task has ended, then try again.'],
    ['the canary of bundle 12 has ended: rolled back', ''],
  ])('with code 100 advise to wait only if no other reason is given: %s', async (error, hint) => {
    const { fake, client } = await setup();
    fake.on('POST', /content$/, (_request, response) =>
      json(response, 400, { code: 100, error, payload: null }),
    );
    const failure = (await failureOf(client.createContent({ name: 'report' }))) as RefusedError;
    expect(failure.hint).toBe(hint);
  });

  test.each([
    [503, 'try again later'],
    [400, 'its disk may be full'],
  ])('with code 134 and status %i do not blame a disk for a store that is away', async (status, hint) => {
    const { fake, client } = await setup();
    const error = 'the store does not respond: try again in a moment';
    fake.on('POST', /bundles$/, (_request, response) =>
      json(response, status, { code: 134, error, payload: null }),
    );
    const failure = (await failureOf(
      client.uploadContentBundle({ guid: GUID, archive: Buffer.from('x') }),
    )) as RefusedError;
    expect(failure.hint.toLowerCase()).toContain(hint);
  });

  test('with a limited key advise another key, not another role of the person', async () => {
    const { fake, client } = await setup();
    const payload = { key_role: 'viewer' };
    fake.on('POST', /content$/, (_request, response) =>
      json(response, 403, { code: 22, error: 'this API key is limited to the role viewer', payload }),
    );
    const failure = (await failureOf(client.createContent({ name: 'report' }))) as RefusedError;
    expect(failure.hint).toContain('This API key is limited to a role.');
  });

  test('with an error have code, status, payload, meaning and hint', async () => {
    const { fake, client } = await setup();
    fake.on('POST', /content$/, (_request, response) =>
      json(response, 409, { code: 26, error: 'report exists', payload: { name: 'report' } }),
    );
    const failure = await failureOf(client.createContent({ name: 'report' }));
    expect(failure).toBeInstanceOf(RefusedError);
    expect(failure).toMatchObject({
      code: 26,
      status: 409,
      message: 'report exists',
      payload: { name: 'report' },
      meaning: 'Object with that name exists',
    });
    expect((failure as RefusedError).hint).toContain('another name');
  });

  test.each([
    [401, 3, /^Sign in again/],
    [403, 4, /^Your account may not do this/],
    [404, 4, /^It was deleted/],
    [403, 33, /make them a publisher/],
  ])('with %i and code %i of other servers get a hint by status', async (status, code, hint) => {
    const { fake, client } = await setup();
    fake.on('POST', /content$/, (_request, response) => json(response, status, { code, error: 'no' }));
    const failure = await failureOf(client.createContent({ name: 'report' }));
    expect((failure as RefusedError).hint).toMatch(hint);
  });

  test.each([
    [20, /^Ask the owner of the content, or an administrator/],
    [49, /^Another administrator/],
  ])('with code %i get a hint that fits what was refused', async (code, hint) => {
    const { fake, client } = await setup();
    fake.on('POST', /content$/, (_request, response) => json(response, 403, { code, error: 'no' }));
    expect(((await failureOf(client.createContent({ name: 'report' }))) as RefusedError).hint).toMatch(hint);
  });

  test.each([
    ['https', 302, 'https://data.example/connect/__api__/v1/users', 'Use https://data.example/connect as'],
    ['https', 301, 'https://data.example/', 'Use https://data.example as'],
    ['another host', 307, 'http://login.example/sso', 'http://login.example'],
  ])(
    'that redirect to %s are not followed and hint at the URL to use',
    async (_name, status, location, hint) => {
      const { fake, client } = await setup();
      fake.on('POST', /^\/v1\/groups$/, (_request, response) =>
        response.writeHead(status, { location }).end(),
      );
      const failure = await failureOf(client.createGroup({ name: 'team' }));
      expect(failure).toMatchObject({ name: 'InvalidResponseError', kind: 'redirect', status });
      expect((failure as InvalidResponseError).hint).toContain(hint);
      expect(fake.calls()).toEqual(['POST /v1/groups']);
    },
  );

  test('over the size limit are not read to the end', async () => {
    const { fake, client } = await setup();
    fake.on('GET', /groups/, (_request, response) => {
      response.writeHead(404, { 'content-type': 'text/html' });
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65536, 'x')));
        response.once('drain', more);
      };
      more();
    });
    expect(await failureOf(client.getGroups())).toMatchObject({
      name: 'InvalidResponseError',
      kind: 'too-large',
    });
  });
});

describe('API key', () => {
  test('appears in no error and no notice, even when the server echoes it', async () => {
    const { fake, client, notices } = await setup();
    fake.on('GET', /groups/, (_request, response) =>
      json(
        response,
        400,
        { code: 25, error: `bad ${TEST_KEY}`, payload: { seen: [TEST_KEY] } },
        { 'x-deprecated-endpoint': TEST_KEY },
      ),
    );
    fake.on('GET', /audit/, (_request, response) =>
      response.writeHead(302, { location: `https://x.example/?k=${TEST_KEY}` }).end(),
    );
    fake.on('GET', /users/, (_request, response) => response.end(`<html><title>${TEST_KEY}</title>`));
    fake.on('GET', /server_settings/, (_request, response) => response.destroy());
    const failures = await Promise.all([
      failureOf(client.getGroups()),
      failureOf(client.getAuditLogs()),
      failureOf(client.getUsers()),
      failureOf(client.getRInformation()),
    ]);
    const shown =
      inspect([failures, notices, client], { depth: 12, showHidden: true }) +
      JSON.stringify([failures, notices]);
    expect(shown).toContain('***');
    expect(shown).not.toContain(TEST_KEY);
  });

  test('with invalid characters is rejected without being shown', () => {
    const make = () => createClient({ url: 'http://127.0.0.1', apiKey: 'abc\r\nX-Evil: 1' });
    expect(make).toThrow(/API key/);
    expect(make).not.toThrow(/Evil/);
  });

  test('is sent to no other server that a page links to', async () => {
    const { fake, client } = await setup();
    const other = await startFakeServer();
    cleanups.push(other);
    fake.on('GET', /audit_logs/, (request, response) => {
      const next = request.path.includes('next=') ? null : `${other.url}/__api__/v1/audit_logs?next=c2`;
      json(response, 200, {
        paging: { next, cursors: { next: null, previous: null } },
        results: [{ id: '1' }],
      });
    });
    expect(await Array.fromAsync(client.each.getAuditLogs())).toHaveLength(2);
    expect(other.requests).toEqual([]);
    expect(fake.calls()).toEqual(['GET /v1/audit_logs', 'GET /v1/audit_logs?next=c2']);
  });
});

describe('Server URLs', () => {
  test.each(['', 'ftp://x', 'https://user:secret@x', 'http://'])('%j is rejected', (url) => {
    expect(() => createClient({ url })).toThrow(expect.objectContaining({ name: 'ClientOptionsError' }));
    expect(() => createClient({ url })).not.toThrow(/secret/);
  });
  test('without a scheme use https', async () => {
    await using client = createClient({ url: 'connect.example.com/' });
    expect(client.url).toBe('https://connect.example.com');
  });

  test.each([
    ['127.0.0.1:22000', 'http://127.0.0.1:22000'],
    ['localhost:3939/connect/', 'http://localhost:3939/connect'],
    ['[::1]:3939', 'http://[::1]:3939'],
    ['127.0.0.1.example.com', 'https://127.0.0.1.example.com'],
    ['localhost.example.com:8443', 'https://localhost.example.com:8443'],
  ])('without a scheme use http for this machine only: %s', async (url, expected) => {
    const client = createClient({ url });
    expect(client.url).toBe(expected);
    await client.close();
  });
});

test('a closed client rejects calls with NoResponseError', async () => {
  const { client } = await setup();
  await client.getCurrentUser();
  await client.close();
  expect(await failureOf(client.getCurrentUser())).toBeInstanceOf(NoResponseError);
});

test('reads the current value when a change returns no content', async () => {
  await using server = await startFakeServer();
  server.on('PATCH', /environment$/, (_request, response) => response.writeHead(204).end());
  server.on('GET', /environment$/, (_request, response) => json(response, 200, ['TOKEN']));
  const client = createClient({ url: server.url, apiKey: TEST_KEY });
  const guid = 'bbbbbbbb-0000-4000-8000-000000000101';
  expect(await client.updateEnvironment({ guid, body: [{ name: 'TOKEN', value: 'x' }] })).toEqual(['TOKEN']);
  expect(server.requests.at(-1)!.body).toHaveLength(0);
  await client.close();
});

test('refuses a server that returns no content for the current value either', async () => {
  await using server = await startFakeServer();
  server.on('PATCH', /environment$/, (_request, response) => response.writeHead(204).end());
  server.on('GET', /environment$/, (_request, response) => response.writeHead(204).end());
  await using client = createClient({ url: server.url, apiKey: TEST_KEY });
  const guid = 'bbbbbbbb-0000-4000-8000-000000000101';
  const changed = client.updateEnvironment({ guid, body: [{ name: 'TOKEN', value: 'x' }] });
  await expect(changed).rejects.toMatchObject({ name: 'InvalidResponseError', kind: 'not-json' });
});
