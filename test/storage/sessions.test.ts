// Covers the number of sessions of an account: programs may sign in for each of their requests.
import { createBrowser, startTestServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { userOf } from '../../packages/server/src/people/store.ts';
import { beginSession } from '../../packages/server/src/sign-in/begin-session.ts';
import { insertSession, listSessions } from '../../packages/server/src/sign-in/store.ts';

test('an account has at most a thousand sessions: the one unused for longest ends', async () => {
  await using server = await startTestServer();
  const { guid, username } = await server.person('viewer');
  const { services } = server.running;
  const { db } = services.storage;
  const browser = createBrowser();
  await browser.submit(`${server.url}/__login__`, { username, password: 'correct horse' });
  const status = async () => (await browser.get(`${server.url}/__api__/v1/user`)).status;
  expect(await status()).toBe(200);
  const [oldest] = await listSessions(db, guid, 0);
  const insert = (i: number) =>
    insertSession(db, { ...oldest!, token_hash: `hash ${i}`, active_time: oldest!.active_time + i });
  for (let i = 1; i < 1000; i += 1) await insert(i);
  const visit = { address: '', agent: '', previous: null, device: null };
  await beginSession(services, await userOf(db, guid), visit, null);
  const kept = (await listSessions(db, guid, 0)).map((row) => row.token_hash);
  expect(kept).toHaveLength(1000);
  expect(kept).toContain('hash 1');
  expect(kept).not.toContain(oldest!.token_hash);
  expect(await status()).toBe(401);
});
