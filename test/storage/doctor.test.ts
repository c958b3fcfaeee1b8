// What `npm run doctor` says of the database of a running server, on either engine.
import { startTestServer } from '@pressroom/testkit';
import { expect, test } from 'vitest';
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
