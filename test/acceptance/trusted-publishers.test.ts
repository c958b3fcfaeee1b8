// Covers trusted publishers: pipelines deploy with the OpenID Connect token of their CI.
import {
  caller,
  finishedTask,
  grant,
  ownAddress,
  makeArchive,
  publish,
  startCi,
  startTestServer,
  type Call,
  type Person,
  type TestCi,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createContentKeys } from '../../packages/server/src/content/content-keys.ts';
import { findContent } from '../../packages/server/src/content/store.ts';

let ci: TestCi;
let server: TestServer;
let address: string;
let owner: Person;
let colleague: Person;
let guid: string;
let count = 0;
/** Microseconds that the server's clock is ahead. */
let ahead = 0;
const clock = { now: () => Date.now() * 1000 + ahead };

beforeAll(async () => {
  ci = await startCi();
  const own = await ownAddress();
  address = own.address;
  server = await startTestServer({
    clock,
    settings: { ...own.settings, 'CI.Issuers': `${ci.issuer}, http://127.0.0.1:1` },
  });
  owner = await server.person('publisher');
  colleague = await server.person('publisher');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await ci[Symbol.asyncDispose]();
});
beforeEach(async () => {
  guid = (await owner.call('POST', '/v1/content', { body: { name: `report-${(count += 1)}` } })).body.guid;
});

const list = () => `/v1/content/${guid}/trusted-publishers`;
const trust = (wanted: object = {}, person = owner) =>
  person.call('POST', list(), {
    body: { issuer: ci.issuer, repository: 'Acme/Reports', branch: 'main', ...wanted },
  });
const exchange = (token: string, content = guid) =>
  server.anonymous('POST', '/v1/ci/token', { body: { content_guid: content, token } });
const signedIn = async (claims = {}): Promise<Call> => {
  const { status, body } = await exchange(await ci.token(address, claims));
  expect(status, JSON.stringify(body)).toBe(200);
  return caller(() => server.url, body.key);
};

async function upload(call: Call, text = '<p>one'): Promise<string> {
  const raw = makeArchive({ 'index.html': text });
  const { status, body } = await call('POST', `/v1/experimental/content/${guid}/upload`, { raw });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.bundle_id;
}
const deploy = (call: Call, body: object) => call('POST', `/v1/content/${guid}/deploy`, { body });

describe('Trusted publishers', () => {
  test('collaborators add, list and remove trusted publishers, with audit entries', async () => {
    const added = await trust();
    expect(added).toMatchObject({
      status: 200,
      body: {
        issuer: ci.issuer,
        repository: 'acme/reports',
        branch: 'main',
        environment: null,
        drafts_only: false,
        username: owner.username,
        last_used_time: null,
      },
    });
    expect((await owner.call('GET', list())).body).toEqual([added.body]);
    expect(await colleague.call('GET', list())).toMatchObject({ status: 403 });
    expect(await trust({}, colleague)).toMatchObject({ status: 403 });
    const one = `${list()}/${added.body.id}`;
    expect(await colleague.call('DELETE', one)).toMatchObject({ status: 403 });
    expect(await owner.call('DELETE', one)).toMatchObject({ status: 204 });
    expect(await owner.call('DELETE', one)).toMatchObject({ status: 404, body: { code: 17 } });
    const { body } = await (
      await server.administrator()
    ).call('GET', '/v1/audit_logs?limit=5&ascOrder=false');
    const actions = body.results.map((entry: { action: string }) => entry.action);
    expect(actions).toEqual(expect.arrayContaining(['add_trusted_publisher', 'remove_trusted_publisher']));
  });

  test('adding the same again keeps one, unless it is bound to a repository already', async () => {
    const { body: added } = await trust();
    expect((await trust({ repository: 'acme/reports' })).body).toEqual(added);
    const others = [{ branch: 'next' }, { environment: 'production' }, { drafts_only: true }];
    for (const other of others) expect((await trust(other)).body.id).not.toBe(added.id);
    await grant(owner, guid, colleague, 'owner');
    const { body: ofColleague } = await trust({}, colleague);
    expect(ofColleague).toMatchObject({ username: colleague.username });
    expect((await owner.call('GET', list())).body).toHaveLength(2 + others.length);
    await owner.call('DELETE', `${list()}/${ofColleague.id}`);
    await signedIn();
    const again = (await trust()).body.id;
    expect(again).not.toBe(added.id);
    expect((await trust()).body.id).toBe(again);
  });

  test.each([
    [{ issuer: 'https://ci.example.com' }, 25, /CI\.Issuers/],
    [{ branch: null }, 25, /branch or an environment/],
    [{ repository: 'a\nb' }, 25, /repository/],
    [{ repository: '' }, 25, /repository/],
    [{ repository: 'acme', branch: null }, 25, /repository must be owner\/name/],
    ...[
      'https://github.com/acme/reports',
      'acme/reports@main',
      'acme/my reports',
      'acme/reports?x',
      '/acme',
      'acme/',
    ].map((repository): [object, number, RegExp] => [{ repository }, 25, /repository must be owner\/name/]),
  ])('rejects %j', async (wanted, code, error) => {
    expect(await trust(wanted)).toMatchObject({
      status: 400,
      body: { code, error: expect.stringMatching(error) },
    });
  });

  test('rejects a key with an expiry, which the trusted publisher would outlive', async () => {
    const { body } = await owner.call('POST', `/v1/users/${owner.guid}/keys`, {
      body: { name: 'short', expires_time: new Date(clock.now() / 1000 + 60_000).toISOString() },
    });
    const limited = caller(() => server.url, body.key);
    expect(
      await limited('POST', list(), { body: { issuer: ci.issuer, repository: 'a/b', branch: 'c' } }),
    ).toMatchObject({ status: 403, body: { code: 22 } });
  });
});

describe('Pipeline with a trusted publisher', () => {
  test('exchanges its token for a key, deploys, and is named in the audit log', async () => {
    await trust();
    const { body: token } = await exchange(await ci.token(address));
    const call = caller(() => server.url, token.key);
    const bundle_id = await upload(call);
    const { body, status } = await deploy(call, { bundle_id });
    expect(status).toBe(200);
    expect(await finishedTask({ call }, body.task_id)).toMatchObject({ finished: true, code: 0 });
    expect((await owner.call('GET', list())).body[0].last_used_time).not.toBeNull();
    const log = await (await server.administrator()).call('GET', '/v1/audit_logs?limit=10&ascOrder=false');
    const entries = log.body.results as { action: string; event_description: string; user_id: string }[];
    expect(entries.find(({ action }) => action === 'deploy_application')).toMatchObject({
      user_id: owner.guid,
      event_description: expect.stringMatching(/by pipeline acme\/reports at refs\/heads\/main, run 123$/),
    });
    expect(token.key).toMatch(/^\w{20,}$/);
    expect(JSON.stringify(log.body)).not.toContain(token.key);
  });

  test('the key only deploys its own content', async () => {
    await trust();
    const call = await signedIn();
    const other = (await owner.call('POST', '/v1/content', { body: { name: `other-${count}` } })).body.guid;
    const refused = { status: 403, body: { code: 22 } };
    for (const [method, path, body] of [
      ['GET', '/v1/content'],
      ['GET', `/v1/content/${other}`],
      ['DELETE', `/v1/content/${guid}`],
      ['PATCH', `/v1/content/${guid}`, { title: 'Mine' }],
      ['GET', `/v1/content/${guid}/environment`],
      ['POST', list(), { issuer: ci.issuer, repository: 'a/b', branch: 'c' }],
      ['POST', `/v1/users/${owner.guid}/keys`, { name: 'more' }],
      ['POST', `/v1/content/${other}/deploy`, {}],
    ] as const)
      expect(await call(method, path, body && { body }), path).toMatchObject(refused);
    const { task } = await publish(owner, { 'index.html': '<p>' }, { guid: other });
    expect(await call('GET', `/v1/tasks/${task.id}`)).toMatchObject({ status: 403 });
  });

  test('the token works once, and for this server only', async () => {
    await trust();
    const token = await ci.token(address);
    const both = await Promise.all([exchange(token), exchange(token)]);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(both.find(({ status }) => status === 401)!.body).toMatchObject({
      code: 24,
      error: expect.stringMatching(/was used before/),
    });
    expect(await exchange(await ci.token('https://other.example.com'))).toMatchObject({
      status: 401,
      body: { code: 24, error: expect.stringMatching(/audience/) },
    });
  });

  test.each([
    ['forged', () => ci.forged(address), /not valid/],
    ['expired', () => ci.token(address, { iat: 1, exp: seconds() - 60 }), /expired/],
    [
      'without a signature',
      async () => `${(await ci.token(address)).split('.').slice(0, 2).join('.')}.`,
      /not valid/,
    ],
    ['not a JWT', () => 'no token', /issuer/],
    ['from another issuer', async () => unsigned({ iss: 'https://evil.example.com' }), /issuer/],
    ['declared as unsigned', async () => unsigned({ iss: ci.issuer, aud: address }), /not valid/],
    ['without a repository', () => ci.token(address, { repository: '' }), /repository/],
  ])('rejects a token that is %s', async (_what, token, error) => {
    await trust();
    expect(await exchange(await token())).toMatchObject({
      status: 401,
      body: { code: 24, error: expect.stringMatching(error) },
    });
  });

  test.each([
    ['another repository', {}, { repository: 'acme/other' }],
    ['another branch', {}, { ref: 'refs/heads/feature' }],
    ['a tag', {}, { ref: 'refs/tags/main', ref_type: 'tag' }],
    ['a pull request', {}, { ref: 'refs/pull/1/merge' }],
    ['a pull request with the trusted branch as its target', {}, { event_name: 'pull_request_target' }],
    ['a merge request from a branch of the same name', {}, { pipeline_source: 'merge_request_event' }],
    [
      'a child pipeline of such a merge request',
      {},
      { pipeline_source: 'parent_pipeline', ref_path: 'refs/heads/main', ref_protected: 'false' },
    ],
    ['no environment', { branch: null, environment: 'production' }, {}],
    ['another environment', { environment: 'production' }, { environment: 'test' }],
  ])('does not match %s', async (_what, wanted, claims) => {
    expect((await trust(wanted)).status).toBe(200);
    expect(await exchange(await ci.token(address, claims))).toMatchObject({
      status: 403,
      body: { code: 22 },
    });
  });

  test.each([
    ['of an environment', { branch: null, environment: 'production' }, { environment: 'production' }],
    [
      'of GitLab',
      { repository: 'group/sub/project' },
      {
        repository: undefined,
        repository_id: undefined,
        project_path: 'group/sub/project',
        project_id: '9',
        ref: 'main',
        ref_path: 'refs/heads/main',
      },
    ],
    [
      'of a child pipeline on a protected branch',
      {},
      { pipeline_source: 'parent_pipeline', ref_path: 'refs/heads/main', ref_protected: 'true' },
    ],
    [
      'of GitLab before 16',
      { repository: 'group/project' },
      {
        repository: undefined,
        repository_id: undefined,
        project_path: 'group/project',
        project_id: '9',
        ref: 'main',
      },
    ],
  ])('accepts a token %s', async (_what, wanted, claims) => {
    expect((await trust(wanted)).status).toBe(200);
    expect((await exchange(await ci.token(address, claims))).status).toBe(200);
  });

  test('rejects a repository that took over the name of another', async () => {
    await trust();
    await signedIn();
    expect(await exchange(await ci.token(address, { repository_id: '75' }))).toMatchObject({ status: 403 });
  });

  test('deploys only drafts when restricted to drafts', async () => {
    await trust({ branch: null, drafts_only: true });
    const call = await signedIn({ ref: 'refs/pull/7/merge' });
    const bundle_id = await upload(call);
    expect(await deploy(call, { bundle_id })).toMatchObject({
      status: 403,
      body: { code: 22, error: expect.stringMatching(/drafts and previews only/) },
    });
    const draft = await deploy(call, { bundle_id, activate: false, preview: 'seven' });
    expect(draft.status).toBe(200);
    expect(await finishedTask({ call }, draft.body.task_id)).toMatchObject({ code: 0 });
    expect(await deploy(call, { bundle_id })).toMatchObject({ status: 403, body: { code: 22 } });
    expect((await call('GET', `/v1/content/${guid}/drafts`)).body).toMatchObject([{ preview: 'seven' }]);
  });

  test('a draft of a pipeline that deploys drafts only does not go live with the key of the content', async () => {
    const { storage, secrets, clock: ticking } = server.running.services;
    const content = await findContent(storage.db, guid);
    // As a process of the draft gets it.
    const key = await createContentKeys(storage, secrets, ticking).keyFor(content!);
    const itself = caller(() => server.url, key);
    const { id } = (await trust({ branch: null, drafts_only: true })).body;
    const bundle_id = await upload(await signedIn({ ref: 'refs/pull/7/merge' }));
    for (const body of [{ bundle_id }, {}])
      expect(await deploy(itself, body)).toMatchObject({
        status: 403,
        body: { code: 22, error: expect.stringContaining('pipeline') },
      });
    expect((await deploy(itself, { bundle_id, activate: false })).status).toBe(200);
    await owner.call('DELETE', `${list()}/${id}`);
    expect((await deploy(itself, { bundle_id })).status).toBe(200);
  });

  test('the key ends with the trusted publisher, the right of its creator, or in two hours', async () => {
    const { body } = await trust();
    const own = () => `/v1/content/${guid}`;
    const first = await signedIn();
    expect((await first('GET', own())).status).toBe(200);
    expect((await owner.call('DELETE', `${list()}/${body.id}`)).status).toBe(204);
    expect(await first('GET', own())).toMatchObject({ status: 401, body: { code: 24 } });
    expect(await exchange(await ci.token(address))).toMatchObject({ status: 403 });

    await owner.call('POST', `${own()}/permissions`, {
      body: { principal_guid: colleague.guid, principal_type: 'user', role: 'owner' },
    });
    await trust({}, colleague);
    const second = await signedIn();
    const [permission] = (await owner.call('GET', `${own()}/permissions`)).body;
    await owner.call('DELETE', `${own()}/permissions/${permission.id}`);
    const raw = makeArchive({ 'index.html': '<p>' });
    expect(await second('POST', `${own()}/bundles`, { raw })).toMatchObject({ status: 403 });
    expect(await exchange(await ci.token(address))).toMatchObject({ status: 403 });

    await trust();
    const third = await signedIn();
    ahead += 2 * 3_600_000_000;
    expect(await third('GET', own())).toMatchObject({ status: 401, body: { code: 24 } });
    ahead = 0;
  });

  test('the key is not listed among the keys of the user', async () => {
    await trust();
    await signedIn();
    const { body } = await owner.call('GET', `/v1/users/${owner.guid}/keys`);
    expect(JSON.stringify(body)).not.toContain('pipeline');
  });

  test('reports an issuer that does not respond', async () => {
    await trust({ issuer: 'http://127.0.0.1:1' });
    expect(await exchange(unsigned({ iss: 'http://127.0.0.1:1' }))).toMatchObject({
      status: 500,
      body: { error: expect.stringMatching(/does not respond/) },
    });
  });

  test('returns the same error for unknown content as for untrusted content', async () => {
    const nothing = await exchange(await ci.token(address), '11111111-2222-3333-4444-555555555555');
    const untrusted = await exchange(await ci.token(address));
    expect(nothing).toMatchObject({ status: 403, body: untrusted.body });
  });
});

describe('Exchange by clients of others, which name no content (RFC 8693)', () => {
  const repository = 'acme/only';
  const ask = async (token: string) =>
    server.anonymous('POST', '//__login__/oauth/token', {
      raw: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        subject_token: token,
      }).toString(),
    });
  const refused = (description: RegExp) => ({
    status: 400,
    body: { error: 'invalid_grant', error_description: expect.stringMatching(description) },
  });

  test('the pipeline deploys the only content that trusts it', async () => {
    await trust({ repository });
    const { status, body } = await ask(await ci.token(address, { repository }));
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^pressroom_\w{32}$/),
        token_type: 'Bearer',
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        expires_in: expect.closeTo(7200, -1),
      },
    ]);
    const call = caller(() => server.url, body.access_token);
    const started = await deploy(call, { bundle_id: await upload(call) });
    expect(await finishedTask({ call }, started.body.task_id)).toMatchObject({ code: 0 });
    const other = (await owner.call('POST', '/v1/content', { body: { name: 'untrusting' } })).body.guid;
    expect(await call('GET', `/v1/content/${other}`)).toMatchObject({ status: 403, body: { code: 22 } });
  });

  test('is refused where several trust it, on another branch, again, or with another audience', async () => {
    const several = { repository: 'acme/several' };
    await trust(several);
    const token = await ci.token(address, several);
    expect(await ask(await ci.token(address, { ...several, ref: 'refs/heads/x' }))).toMatchObject(
      refused(/no trusted publisher/),
    );
    expect(await ask(token)).toMatchObject({ status: 200 });
    expect(await ask(token)).toMatchObject(refused(/verified.*used before/));
    expect(await ask(await ci.token('connect', several))).toMatchObject(refused(/verified.*audience/));
    expect(await ask('')).toMatchObject(refused(/verified/));
    guid = (await owner.call('POST', '/v1/content', { body: { name: 'another' } })).body.guid;
    await trust(several);
    expect(await ask(await ci.token(address, several))).toMatchObject(refused(/ambiguous/));
    // One that may deploy nothing any more does not count.
    await trust({ ...several, branch: 'never' });
    const { id } = (await owner.call('GET', list())).body[0];
    await owner.call('DELETE', `${list()}/${id}`);
    expect(await ask(await ci.token(address, several))).toMatchObject({ status: 200 });
  });
});

test('rejects every token without Server.Address', async () => {
  await using plain = await startTestServer({ settings: { 'CI.Issuers': ci.issuer } });
  const body = { content_guid: guid, token: await ci.token(plain.url) };
  expect(await plain.anonymous('POST', '/v1/ci/token', { body })).toMatchObject({
    status: 401,
    body: { error: expect.stringMatching(/Server\.Address/) },
  });
});

test('rejects a trusted publisher while Server.Address is not set: no token could match', async () => {
  await using other = await startTestServer({ settings: { 'CI.Issuers': ci.issuer } });
  const person = await other.person('publisher');
  const made = await person.call('POST', '/v1/content', { body: { name: 'report' } });
  const body = { issuer: ci.issuer, repository: 'acme/reports', branch: 'main' };
  expect(
    await person.call('POST', `/v1/content/${made.body.guid}/trusted-publishers`, { body }),
  ).toMatchObject({ status: 400, body: { code: 25, error: expect.stringContaining('Server.Address') } });
});

const seconds = () => Math.floor(clock.now() / 1_000_000);

function unsigned(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ ...claims, exp: seconds() + 60, iat: seconds() })}.`;
}
