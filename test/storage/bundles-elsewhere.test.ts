// Covers a start over PostgreSQL whose data directory is another one than that with the bundles.
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { publish, startTestServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';
import { checkDatabase } from '../../packages/server/src/main/doctor/check-database.ts';

test('a server without the bundles of its database is refused, until they are there or given up', async () => {
  await using server = await startTestServer({ own: true });
  // A first start has neither.
  await server.restart();
  const page = await publish(await server.person('publisher'), { 'index.html': 'page' });
  const bundles = join(server.dataDir, 'bundles');
  const elsewhere = join(server.dataDir, 'bundles-elsewhere');
  await rename(bundles, elsewhere);
  if (server.running.services.config['Database.URL'] !== '') {
    await expect(server.restart()).rejects.toThrow(
      /^Storage.Type or Server.DataDir: the database names bundles/,
    );
    const { config } = server.running.services;
    expect(await checkDatabase(config, server.dataDir)).toMatchObject({
      state: 'bad',
      message: expect.stringContaining('the database names bundles, but there is no'),
    });
    await rename(elsewhere, bundles);
    expect(await checkDatabase(config, server.dataDir)).toMatchObject({ state: 'good' });
    await server.restart();
    await rename(bundles, elsewhere);
    await mkdir(bundles);
  }
  await server.restart();
  expect(String((await server.anonymous('GET', page.path)).bytes)).toBe('page');
});
