// Servers whose clocks differ.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openStorage } from '../platform/database/storage.ts';
import { createSecrets } from '../platform/secrets/secrets.ts';
import { createCluster } from './cluster.ts';

const HOUR = 3_600_000_000;

test('a server whose clock is hours ahead does not forget those that run', async () => {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-cluster-'));
  stack.defer(() => rm(directory, { recursive: true }));
  const storage = stack.use(await openStorage(join(directory, 'x.sqlite')));
  const secrets = createSecrets(Buffer.alloc(32, 1).toString('base64'));
  const at = (node: string, ahead: number) =>
    stack.use(
      createCluster({
        storage,
        secrets,
        node,
        clock: { now: () => Date.now() * 1000 + ahead },
        log: pino({ level: 'silent' }),
      }),
    );
  const [right, ahead] = [at('right', 0), at('ahead', 5 * HOUR)];
  await right.join('127.0.0.1:1');
  await ahead.join('127.0.0.1:2');
  expect((await ahead.others()).map(({ node }) => node)).toEqual(['right']);
});
