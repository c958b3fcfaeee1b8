// Covers the messages of `npm run doctor` about the database of a running server, on either engine.
import { startTestServer } from '@pressroom/testkit';
import { expect, test, vi } from 'vitest';
import { checkDatabase } from '../../packages/server/src/main/doctor/check-database.ts';

const isPostgres = process.env.PRESSROOM_TEST_ENGINE === 'postgres';

test('the database of a running server is in order', async () => {
  await using server = await startTestServer();
  const { config } = server.running.services;
  const found = await checkDatabase(config, server.dataDir);
  expect(found).toMatchObject({
    state: 'good',
    message: expect.stringMatching(isPostgres ? /^PostgreSQL \d+.* at \S+$/ : /^SQLite, \//),
  });
});

if (isPostgres)
  test('warns about a clock that is minutes away from that of PostgreSQL', async () => {
    await using server = await startTestServer();
    const { config } = server.running.services;
    const now = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => now - 300_000);
    const found = await checkDatabase(config, server.dataDir).finally(() => vi.restoreAllMocks());
    expect(found).toMatchObject({
      state: 'warning',
      message: expect.stringMatching(
        /^the clock of this machine is \d{3} seconds behind that of PostgreSQL at /,
      ),
    });
  });

test('administrators run the checks over the API, and get problems and remedies without passwords', async () => {
  await using server = await startTestServer();
  const admin = await server.administrator();
  const viewer = await server.person('viewer');
  const mail = { 'Mail.URL': 'smtp://me:hunter2hunter2@127.0.0.1:1' };
  // Without a place of packages, it starts pip, which asks its index.
  await server.restart({ ...mail, 'Python.FindLinks': '/usr/share' });
  const [response, second] = await Promise.all([1, 2].map(() => admin.call('POST', '/v1/servers/examine')));
  const [done, busy] = response!.status === 200 ? [response!, second!] : [second!, response!];
  expect(busy).toMatchObject({ status: 400, body: { code: 100 } });
  const { findings, version } = done.body;
  expect(version).toMatch(/^\d/);
  const found = (name: string) => findings.find((one: { name: string }) => one.name === name);
  expect(found('Database')).toMatchObject({ state: 'good' });
  expect(found('Disk')).toBeDefined();
  expect(found('Processes')).toMatchObject({ state: 'good' });
  expect(found('Mail')).toMatchObject({
    state: 'bad',
    remedy: 'Check host, port and password in Mail.URL, and firewalls.',
  });
  expect(JSON.stringify(findings)).not.toContain('hunter2');
  expect((await viewer.call('POST', '/v1/servers/examine')).status).toBe(403);

  // The same for other clients.
  const { body: run } = await admin.call('POST', '/v1/system/checks', { body: {} });
  const path = `/v1/system/checks/${run.id}`;
  expect((await admin.call('GET', path)).body).toEqual({ ...run, status: 'done' });
  const checked = (await admin.call('GET', `${path}/results`)).body;
  expect(checked.run).toEqual(run);
  const of = (name: string) =>
    checked.results.find((one: { test: { name: string } }) => one.test.name === name);
  expect(of('Database')).toMatchObject({ group: { name: run.hostname }, passed: true, error: '' });
  expect(of('Mail')).toMatchObject({
    passed: false,
    output: '',
    error: expect.stringContaining('Check host, port and password in Mail.URL'),
  });
  expect(JSON.stringify(checked)).not.toContain('hunter2');
  expect(await admin.call('GET', '/v1/system/checks/2')).toMatchObject({ status: 404, body: { code: 4 } });
  expect((await viewer.call('GET', `${path}/results`)).status).toBe(403);
});
