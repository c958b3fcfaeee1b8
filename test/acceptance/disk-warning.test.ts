// Covers the warning when free disk space is below the reserve: for administrators on every dashboard page.
import { startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';

async function pageOf(server: TestServer, { username }: Person, path: string): Promise<string> {
  const signedIn = await fetch(`${server.url}/__login__`, {
    method: 'POST',
    body: JSON.stringify({ username, password: 'correct horse' }),
  });
  expect(signedIn.status).toBe(200);
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const page = await fetch(`${server.url}/__dashboard__${path}`, { headers: { cookie } });
  expect(page.status).toBe(200);
  return page.text();
}

test('administrators see a warning when the free disk space is below the reserve', async () => {
  await using full = await startTestServer({ settings: { 'Applications.DiskReserve': 2 ** 60 } });
  const administrator = await full.administrator();
  for (const path of ['/', '/users', '/server'])
    expect(await pageOf(full, administrator, path)).toContain('The disk is almost full');
  expect(await pageOf(full, await full.person('publisher'), '/')).not.toContain('The disk is almost full');
});

test('the server page shows the free disk space', async () => {
  await using server = await startTestServer({ settings: { 'Applications.DiskReserve': 0 } });
  const page = await pageOf(server, await server.administrator(), '/server');
  expect(page).toMatch(/<dt>Free disk space<\/dt>\s*<dd>[\d.]+ GB<\/dd>/);
  expect(page).not.toContain('The disk is almost full');
});
