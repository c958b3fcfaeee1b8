// Covers rules of every operation of the contract: who may call it, with which provider, and how it refuses.
import { type Endpoint, operations, type ServerRole } from '@pressroom/api/contract';
import { startTestServer, type Call, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const all = Object.values(operations) as Endpoint[];
const keyed = all.filter((operation) => operation.access !== 'anyone');
const RANK: Record<ServerRole, number> = { viewer: 0, publisher: 1, administrator: 2 };
const ROLES = ['viewer', 'publisher', 'administrator'] as const;
const ABSENT = '00000000-0000-4000-8000-000000000000';

let server: TestServer;
const people = new Map<ServerRole, Person>();
beforeAll(async () => {
  server = await startTestServer();
  for (const role of ROLES) people.set(role, await server.person(role));
});
afterAll(() => server[Symbol.asyncDispose]());

/** Sends a request that passes validation as far as possible without details of the operation. */
function send(call: Call, operation: Endpoint, headers?: Record<string, string>) {
  const path = operation.path.replace(/\{(\w*guid)\}/g, ABSENT).replace(/\{(id|key)\}/g, '1');
  const query = operation.query?.required?.includes('prefix') ? '?prefix=a' : '';
  const raw = operation.body === 'archive' ? Buffer.from('x') : undefined;
  const body =
    typeof operation.body === 'object'
      ? operation.operationId === 'updateEnvironment'
        ? []
        : {}
      : undefined;
  return call(operation.method, path + query, {
    ...(raw && { raw }),
    ...(body && { body }),
    ...(headers && { headers }),
  });
}

test('the suite covers more than fifty operations', () => {
  expect(keyed.length).toBeGreaterThan(50);
});

describe.each(keyed.map((operation) => [operation.operationId, operation] as const))(
  '%s',
  (_id, operation) => {
    test('returns 401 and code 24 without a key', async () => {
      expect(await send(server.anonymous, operation)).toMatchObject({
        status: 401,
        body: { code: 24, payload: null },
      });
    });

    test('returns 401 and code 24 with an invalid key', async () => {
      const headers = { Authorization: 'Key nonsense' };
      expect(await send(server.anonymous, operation, headers)).toMatchObject({
        status: 401,
        body: { code: 24 },
      });
    });

    const least =
      operation.access === 'user'
        ? 'viewer'
        : operation.access === 'first-user'
          ? 'administrator'
          : operation.access;
    test.each(ROLES.filter((role) => RANK[role] < RANK[least as ServerRole]))(
      'returns 403 and code 22 to the role %s',
      async (role) => {
        const response = await send(people.get(role)!.call, operation);
        expect(response).toMatchObject({ status: 403, body: { code: 22 } });
      },
    );

    test('accepts administrators, and returns errors as APIErrors', async () => {
      const response = await send(people.get('administrator')!.call, operation);
      expect([401, 500]).not.toContain(response.status);
      if (response.status >= 400) expect(Object.keys(response.body)).toEqual(['code', 'error', 'payload']);
    });

    test('declares the statuses of its refusals in `errors`', async () => {
      const calls = [server.anonymous, ...ROLES.map((role) => people.get(role)!.call)];
      const responses = await Promise.all(calls.map((call) => send(call, operation)));
      const refusals = responses.map(({ status }) => status).filter((status) => status >= 400);
      // The contract's own list lacks this one.
      const unlisted = operation.operationId === 'uploadContentBundle' ? [403] : [];
      const listed = [...operation.errors, ...unlisted];
      const missing = new Set(refusals.filter((status) => !listed.includes(status)));
      expect([...missing], 'add these statuses to `errors` of the declaration').toEqual([]);
    });

    test('ignores a trailing slash', async () => {
      const { call } = people.get('administrator')!;
      const slashed = { ...operation, path: `${operation.path}/` } as Endpoint;
      if (operation.operationId === 'createGroup' || operation.method === 'DELETE') return;
      const [plain, same] = [await send(call, operation), await send(call, slashed)];
      expect([same.status, same.body?.code]).toEqual([plain.status, plain.body?.code]);
    });
  },
);

describe('Operations bound to an authentication provider', () => {
  const gated = all.filter((operation) => operation.providers);
  const withoutPassword = gated.filter((operation) => !operation.providers!.only.includes('password'));

  test.each(withoutPassword.map((o) => [o.operationId, o] as const))(
    '%s is rejected under the password provider',
    async (_id, o) => {
      const response = await send(people.get('administrator')!.call, o);
      expect(response).toMatchObject({ status: 400, body: { code: o.providers!.otherwise } });
    },
  );

  test('operations of other providers are rejected with their code under LDAP', async () => {
    await using own = await startTestServer({ settings: { 'HTTP.ShutdownTimeout': 1 } });
    const administrator = await own.administrator();
    await own.restart({
      'Authentication.Provider': 'ldap',
      'LDAP.URL': 'ldap://127.0.0.1:1',
      'LDAP.UserBase': 'dc=example',
    });
    const { call } = administrator;
    const refused = gated.filter((operation) => !operation.providers!.only.includes('ldap'));
    expect(refused.length).toBeGreaterThan(3);
    for (const operation of refused) {
      expect((await send(call, operation)).body.code, operation.operationId).toBe(
        operation.providers!.otherwise,
      );
    }
  });
});

test('unknown paths and methods return 404 and code 2', async () => {
  const { url } = server;
  for (const [method, path] of [
    ['GET', '/v1/nothing'],
    ['PATCH', '/v1/users'],
    ['QUERY', '/v1/users'],
    ['POST', '/v2/users'],
  ]) {
    const response = await fetch(`${url}/__api__${path}`, { method: method! });
    expect([response.status, ((await response.json()) as { code: number }).code], method).toEqual([404, 2]);
  }
});

test('an overlong id returns 401 without a key, and error 3 with one', async () => {
  const id = 'a'.repeat(1000);
  for (const path of [`/v1/users/${id}`, `/v1/experimental/tasks/${id}`, `/v1/experimental/bundles/${id}`]) {
    expect(await server.anonymous('GET', path)).toMatchObject({ status: 401, body: { code: 24 } });
    expect(await people.get('viewer')!.call('GET', path)).toMatchObject({ status: 400, body: { code: 3 } });
  }
});
