// Covers the key in content's environment (H6): calls every operation of the contract with the key of an
// administrator's content.
import { type Endpoint, operations } from '@pressroom/api/contract';
import { caller, startTestServer, type Call, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createContentKeys } from '../../packages/server/src/content/content-keys.ts';
import { findContent } from '../../packages/server/src/content/store.ts';

/** Typed by hand, independently of the declarations. All other operations are refused. */
const OF_ITSELF = [
  ['getContent', 'getContentGa', 'updateContent', 'updateContentGa', 'renderContent'],
  ['uploadContentBundle', 'uploadContentBundleGa', 'deployContentBundle', 'deployContentBundleGa'],
  ['getBundles', 'getBundlesGa', 'getBundleGa', 'downloadBundleGa', 'deleteBundleGa'],
  ['getPermissions', 'getPermission', 'getVanity', 'getEnvironment', 'updateEnvironment'],
  ['getContentJob', 'getContentJobs', 'getContentJobLog'],
  ['getContentSchedule', 'setContentSchedule', 'deleteContentSchedule', 'getContentIntegrations'],
].flat();
const OF_PIPELINES = [
  ['getContent', 'getContentGa', 'getTask', 'getTaskGa', 'getDeployLock', 'getCanary'],
  ['uploadContentBundle', 'uploadContentBundleGa', 'deployContentBundle', 'deployContentBundleGa'],
  ['getBundles', 'getBundlesGa', 'getBundleGa', 'downloadBundleGa', 'buildContent'],
  ['getDrafts', 'getDraft', 'deleteDraft'],
].flat();
const ANYWHERE = [
  'getCurrentUser',
  'getServerSettings',
  'getRInformation',
  'getPythonInformation',
  'getTimezones',
];
/** Of applications, by which they act for their visitors. The exchange needs a token; this server has no integration. */
const STATUS_OF_APPLICATIONS: Readonly<Record<string, number>> = {
  getIntegrations: 200,
  getIntegration: 404,
  exchangeVisitorToken: 400,
};

const keyed = (Object.values(operations) as Endpoint[]).filter(({ access }) => access !== 'anyone');

let server: TestServer;
let owner: Person;
let own: string;
let other: string;
let withKey: Call;

beforeAll(async () => {
  server = await startTestServer({ settings: {} });
  owner = await server.administrator();
  const make = async (person: Person, name: string): Promise<string> =>
    (await person.call('POST', '/v1/content', { body: { name } })).body.guid;
  own = await make(owner, 'own');
  other = await make(await server.person('publisher'), 'other');
  await owner.call('PUT', `/v1/content/${other}/vanity`, { body: { path: '/taken/' } });
  const { storage, secrets, clock } = server.running.services;
  const content = await findContent(storage.db, own);
  const key = await createContentKeys(storage, secrets, clock).keyFor(content!);
  withKey = caller(() => server.url, key);
});
afterAll(() => server[Symbol.asyncDispose]());

function send(operation: Endpoint, guid: string) {
  const path = operation.path.replace(/\{(\w*guid)\}/g, guid).replace(/\{(id|key)\}/g, '1');
  const query = operation.query?.required?.includes('prefix') ? '?prefix=a' : '';
  const raw = operation.body === 'archive' ? Buffer.from('x') : undefined;
  const body = operation.operationId === 'updateEnvironment' ? [] : {};
  return withKey(operation.method, path + query, {
    ...(raw && { raw }),
    ...(typeof operation.body === 'object' && { body }),
  });
}

describe('H6: API key of content owned by an administrator', () => {
  test.each(keyed.map((operation) => [operation.operationId, operation] as const))(
    '%s: is allowed by the list, or rejected',
    async (id, operation) => {
      const [mine, others] = [await send(operation, own), await send(operation, other)];
      const refused = { status: 403, body: { code: 22 } };
      const isOwn = operation.path.includes('{guid}');
      if (ANYWHERE.includes(id)) expect(mine.status).toBe(200);
      else if (id in STATUS_OF_APPLICATIONS) expect(mine.status).toBe(STATUS_OF_APPLICATIONS[id]);
      else {
        expect(others).toMatchObject(refused);
        if (OF_ITSELF.includes(id)) {
          expect(isOwn).toBe(true);
          expect([mine.status, mine.body?.code]).not.toEqual([403, 22]);
          expect(mine.status).not.toBe(500);
        } else expect(mine).toMatchObject(refused);
      }
    },
  );

  test('the list names existing operations only', () => {
    const ids = (Object.values(operations) as Endpoint[]).map(({ operationId }) => operationId);
    const listed = [...OF_ITSELF, ...ANYWHERE, ...Object.keys(STATUS_OF_APPLICATIONS)];
    expect(listed.filter((id) => !ids.includes(id))).toEqual([]);
  });

  test('a pipeline key is limited to deploys and branch drafts', () => {
    const mayCall = (Object.values(operations) as Endpoint[])
      .filter(({ contentKey }) => contentKey === 'pipeline' || contentKey === 'both')
      .map(({ operationId }) => operationId);
    expect(mayCall.toSorted()).toEqual([...OF_PIPELINES, ...ANYWHERE].toSorted());
  });

  test.each([{ run_as: 'nobody' }, { access_type: 'all' }])(
    'cannot change access rights: %j',
    async (body) => {
      for (const path of [`/v1/content/${own}`, `/v1/experimental/content/${own}`]) {
        const method = path.includes('experimental') ? 'POST' : 'PATCH';
        const response = await withKey(method, path, { body });
        if (response.status === 200) {
          // In the contract's form, run_as is read-only.
          expect(response.body).toMatchObject({ access_type: 'acl' });
          const after = await owner.call('GET', `/v1/content/${own}`);
          expect(after.body.run_as).toBeNull();
        } else expect(response).toMatchObject({ status: 403, body: { code: 22 } });
      }
      expect((await withKey('PATCH', `/v1/content/${own}`, { body })).body.code).toBe(22);
    },
  );

  test('cannot set its own vanity path, taken or free', async () => {
    for (const path of ['/taken/', '/free/']) {
      const response = await withKey('PUT', `/v1/content/${own}/vanity?force=true`, {
        body: { path, force: true },
      });
      expect(response).toMatchObject({ status: 403, body: { code: 22 } });
    }
    expect((await owner.call('GET', `/v1/content/${other}/vanity`)).body.path).toBe('/taken/');
  });

  test('changes what a publisher may change of the content', async () => {
    const response = await withKey('PATCH', `/v1/content/${own}`, { body: { title: 'Its own title' } });
    expect(response).toMatchObject({ status: 200, body: { title: 'Its own title' } });
  });
});
