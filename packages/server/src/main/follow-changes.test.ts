import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errors } from '@pressroom/api/contract';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { openStorage } from '../platform/database/storage.ts';
import { createConnections } from '../visitors/proxy/connections.ts';
import { createChanges } from './follow-changes.ts';

test('applies a content change made while the database was away once it is back', async () => {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-changes-'));
  stack.defer(() => rm(directory, { recursive: true }));
  const storage = stack.use(await openStorage(join(directory, 'x.sqlite')));
  let isAway = true;
  const db = storage.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (isAway) throw errors.internal({ message: 'The database cannot be reached', status: 503 });
      return result;
    },
  });
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  stack.defer(() => void vi.useRealTimers());
  const end = vi.fn(async () => undefined);
  const changes = createChanges({
    storage: { ...storage, db },
    sites: null,
    jobs: {} as never,
    connections: stack.use(createConnections()),
    log: pino({ level: 'silent' }),
    late: () => ({ applications: { end } as never, route: { forget: () => undefined } }),
  });
  // The content item no longer exists, so its processes end.
  changes.contentChanged('c');
  await expect.poll(() => vi.getTimerCount()).toBe(1);
  expect(end).not.toHaveBeenCalled();
  isAway = false;
  await vi.advanceTimersByTimeAsync(5000);
  await vi.waitFor(() => expect(end).toHaveBeenCalledExactlyOnceWith('c'));
});
