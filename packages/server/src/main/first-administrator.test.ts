// Covers starts that end while the first administrator is made: the next one goes on.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { caller, startTestServer, type TestServer } from '@pressroom/testkit';
import { afterEach, expect, test, vi } from 'vitest';
import { firstAdministrator } from './first-administrator.ts';

afterEach(() => void vi.restoreAllMocks());

const make = (server: TestServer) => firstAdministrator(server.url, 'admin', server.dataDir);

async function expectUsable(server: TestServer, key: string): Promise<void> {
  const { status, body } = await caller(() => server.url, key)('GET', '/v1/user');
  expect([status, body]).toMatchObject([200, { username: 'admin', user_role: 'administrator' }]);
  const password = readFileSync(join(server.dataDir, 'admin-password'), 'utf8').trim();
  const signIn = { body: { username: 'admin', password } };
  expect((await server.anonymous('POST', '//__login__', signIn)).status).toBe(200);
  expect(await make(server)).toBe(key);
}

test.each([1, 2, 3])(
  'a start that ends after request %i leaves an account that the next one uses',
  async (last) => {
    await using server = await startTestServer({ own: true });
    let count = 0;
    const { fetch } = globalThis;
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
      const response = await fetch(...request);
      count += 1;
      if (count === last) throw new Error('killed');
      return response;
    });
    await expect(make(server)).rejects.toThrow('killed');
    vi.restoreAllMocks();
    await expectUsable(server, await make(server));
  },
);

test('an empty file, as after a power cut, is no key', async () => {
  await using server = await startTestServer({ own: true });
  writeFileSync(join(server.dataDir, 'admin-key'), '');
  const key = await make(server);
  expect(key).not.toBe('');
  await expectUsable(server, key);
});

test('a server with other people is refused, and gets no files', async () => {
  await using server = await startTestServer({ own: true });
  await server.administrator();
  const refused = 'has users already, but no';
  await expect(make(server)).rejects.toThrow(refused);
  expect(readdirSync(server.dataDir).filter((name) => name.startsWith('admin-'))).toEqual([]);
  writeFileSync(join(server.dataDir, 'admin-password'), 'another\n');
  await expect(make(server)).rejects.toThrow(refused);
});
