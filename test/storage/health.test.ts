// What proxies and supervisors ask: whether a server runs, and whether it can answer.
import { startServer } from '@pressroom/server';
import { startTestServer, testLog } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { startRelay } from './relay.ts';

test('a server that runs is live and ready, and says so to anybody', async () => {
  await using server = await startTestServer();
  for (const what of ['live', 'ready'])
    expect(await server.anonymous('GET', `//__health__/${what}`)).toMatchObject({ status: 200, body: {} });
});

if (process.env.PRESSROOM_TEST_ENGINE === 'postgres') {
  test('without its database a server is live, and not ready until it is back', async () => {
    await using server = await startTestServer();
    const { config } = server.running.services;
    await using relay = await startRelay(config['Database.URL']);
    await using second = await startServer({
      config: { ...config, 'Database.URL': relay.url },
      log: testLog(),
    });
    const ask = (what: string) => fetch(`${second.url}/__health__/${what}`);
    relay.refuse(true);
    const refused = await ask('ready');
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '5']);
    expect((await ask('live')).status).toBe(200);
    relay.refuse(false);
    await expect.poll(async () => (await ask('ready')).status).toBe(200);
  });
}
