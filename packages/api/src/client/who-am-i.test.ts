import { afterEach, expect, test } from 'vitest';
import { createClient } from './create-client.ts';
import { createFakeClock } from './testing/fake-clock.ts';
import { startFakeServer, TEST_KEY } from './testing/fake-server.ts';
import { whoAmI } from './who-am-i.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function ask(dialect: 'ga' | 'experimental', apiKey: string) {
  const fake = await startFakeServer({ dialect });
  const client = createClient({ url: fake.url, apiKey, clock: createFakeClock() });
  cleanups.push(
    () => fake.close(),
    () => client.close(),
  );
  return whoAmI(client);
}

test('a good key is told with its owner, or as good where the server is too old to say whose', async () => {
  expect(await ask('ga', TEST_KEY)).toMatchObject({ username: 'ada' });
  expect(await ask('experimental', TEST_KEY)).toBeNull();
});

test.each(['ga', 'experimental'] as const)('a wrong key is refused (%s)', async (dialect) => {
  await expect(ask(dialect, 'wrong')).rejects.toMatchObject({ code: 24 });
});
