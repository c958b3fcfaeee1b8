// Covers which content an address names, on both engines: the order of their texts must not matter.
import { publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findVanityOf } from '../../packages/server/src/content/vanity/store.ts';

const PATHS = ['/a/', '/a-b/', '/a1/', '/a_/', '/ab/c/', '/ab/c-d/', '/Upper/', '/z/z/z/'];

let server: TestServer;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer({ settings: {} });
  owner = await server.person('publisher');
  for (const path of PATHS) {
    const { guid } = await publish(owner, { 'index.html': path });
    await owner.call('PUT', `/v1/content/${guid}/vanity`, { body: { path } });
  }
});
afterAll(() => server[Symbol.asyncDispose]());

test.each<[string, string | null]>([
  ...PATHS.flatMap((path): [string, string][] => [
    [path, path],
    [`${path}report.html/`, path],
    [`${path}-/`, path],
    [`${path}~ü%20/`, path],
    [`${path}z/z/z/`, path],
  ]),
  ['/', null],
  ['/ab/', null],
  ['/ab/c_/', null],
  ['/a.html/', null],
  ['/aa/', null],
  ['/z/z/', null],
  ['/zz/', null],
  ['/~/', null],
  ['/ü/', null],
])('%s is an address of %s', async (address, path) => {
  const found = await findVanityOf(server.running.services.storage.db, address.toLowerCase());
  expect(found?.path ?? null).toBe(path);
});
