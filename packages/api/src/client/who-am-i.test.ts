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

test('returns the owner of a valid key, or null when the server is too old', async () => {
  expect(await ask('ga', TEST_KEY)).toMatchObject({ username: 'ada' });
  expect(await ask('experimental', TEST_KEY)).toBeNull();
});

test.each(['ga', 'experimental'] as const)('rejects a wrong key (%s)', async (dialect) => {
  await expect(ask(dialect, 'wrong')).rejects.toMatchObject({ code: 24 });
});
