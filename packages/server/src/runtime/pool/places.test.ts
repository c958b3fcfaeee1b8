import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { showHeartbeat } from '../../cluster/heartbeat-store.ts';
import { systemIds } from '../../platform/clock.ts';
import { openStorage, type Storage } from '../../platform/database/storage.ts';
import { insertPlace, placesOf } from './place-store.ts';
import { createPlaces } from './places.ts';

const DEPLOYMENT = { content_guid: 'c', site: 's' };

/** The life of a server whose heartbeat the test triggers. */
function manualLife() {
  let work = async () => {};
  return {
    node: 'n',
    onBeat(wanted: () => Promise<void>) {
      work = wanted;
      return { [Symbol.dispose]: () => undefined };
    },
    beat: () => work(),
    isFirst: async () => true,
    [Symbol.asyncDispose]: async () => {},
  };
}

test('keeps a place whose write is slow and restores one that another server removed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-places-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(directory, { recursive: true }));
  const real = stack.use(await openStorage(join(directory, 'pressroom.sqlite')));
  let slow: Promise<void> | null = null;
  const storage: Storage = {
    ...real,
    async write(work, about) {
      const until = slow;
      slow = null;
      await until;
      return real.write(work, about);
    },
  };
  const heartbeat = manualLife();
  const { beat } = heartbeat;
  const places = stack.use(
    createPlaces({ storage, heartbeat, ids: systemIds(), log: pino({ level: 'silent' }) }),
  );
  const written = Promise.withResolvers<void>();
  slow = written.promise;
  const taking = places.take(DEPLOYMENT, 1);
  await beat();
  written.resolve();
  const place = await taking;
  expect(place).not.toBeNull();
  expect(await placesOf(real.db, 'n')).toHaveLength(1);
  expect(await places.take(DEPLOYMENT, 1)).toBeNull();

  await real.db.deleteFrom('process_place').execute();
  await beat();
  expect(await placesOf(real.db, 'n')).toHaveLength(1);
  place?.[Symbol.dispose]();
  await expect.poll(() => placesOf(real.db, 'n')).toEqual([]);
});

test('frees places that a server could not give back before it stopped', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-places-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(directory, { recursive: true }));
  const storage = stack.use(await openStorage(join(directory, 'pressroom.sqlite')));
  const heartbeat = manualLife();
  const places = stack.use(
    createPlaces({ storage, heartbeat, ids: systemIds(), log: pino({ level: 'silent' }) }),
  );
  await showHeartbeat(storage.db, 'there', 'there:1');
  await insertPlace(storage.db, { ...DEPLOYMENT, key: 'a', node: 'gone' });
  await insertPlace(storage.db, { ...DEPLOYMENT, key: 'b', node: 'there' });
  expect(await places.take(DEPLOYMENT, 2)).toBeNull();
  await heartbeat.beat();
  expect(await placesOf(storage.db, 'there')).toHaveLength(1);
  expect(await places.take(DEPLOYMENT, 2)).not.toBeNull();
});
