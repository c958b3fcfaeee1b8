// Limits the processes of a deploy across all servers: each takes a place before it starts.
import type { Logger } from 'pino';
import type { Heartbeat } from '../../cluster/heartbeat.ts';
import type { Ids } from '../../platform/clock.ts';
import type { Storage } from '../../platform/database/storage.ts';
import { createRecent } from '../../platform/recent.ts';
import {
  countPlaces,
  insertPlace,
  placesOf,
  removeLostPlaces,
  removePlace,
  removePlacesOf,
  type Deployment,
  type PlaceRow,
} from './place-store.ts';

export interface Places extends AsyncDisposable {
  /** Takes a place until disposed of; null if all are taken. */
  take(deployment: Deployment, max: number): Promise<Disposable | null>;
  /** Whether there was a free place within the last second. */
  isFree(deployment: Deployment, max: number): Promise<boolean>;
}

export interface PlacesOptions {
  readonly storage: Storage;
  readonly heartbeat: Heartbeat;
  readonly ids: Ids;
  readonly log: Logger;
}

const BELIEVED_MS = 1000;
const KEPT = 10_000;

export function createPlaces({ storage, heartbeat, ids, log }: PlacesOptions): Places {
  const { db } = storage;
  const { node } = heartbeat;
  /** Taken or reserved here. */
  const held = new Map<string, PlaceRow>();
  /** Reserved places, whose rows are not written yet. */
  const taking = new Set<string>();
  const counts = createRecent<number>(KEPT, { ttl: BELIEVED_MS });
  const nameOf = ({ content_guid, site }: Deployment) => `${content_guid}/${site}`;

  function release(row: PlaceRow): void {
    held.delete(row.key);
    counts.delete(nameOf(row));
    removePlace(db, row.key).catch((error: unknown) => log.warn(error, 'place of a process'));
  }

  /** Reconciles rows after failed writes, and after others removed them while this server seemed lost. */
  async function compare(): Promise<void> {
    await removeLostPlaces(db, node);
    const there = new Set(await placesOf(db, node));
    for (const key of there) if (!held.has(key)) await removePlace(db, key);
    for (const row of [...held.values()].filter(({ key }) => !there.has(key) && !taking.has(key)))
      await storage.write(
        async (tx) => {
          if (!(await placesOf(tx, node)).includes(row.key) && held.has(row.key)) await insertPlace(tx, row);
        },
        `places:${nameOf(row)}`,
      );
  }

  const comparing = heartbeat.onBeat(compare);
  return {
    async take(deployment, max) {
      const { content_guid, site } = deployment;
      const row = { key: ids.taskId(), content_guid, site, node };
      held.set(row.key, row);
      taking.add(row.key);
      const isTaken = await storage
        .write(
          async (tx) => {
            if ((await countPlaces(tx, deployment)) >= max) return false;
            await insertPlace(tx, row);
            return true;
          },
          `places:${nameOf(deployment)}`,
        )
        .catch((error: unknown) => {
          release(row);
          throw error;
        })
        .finally(() => taking.delete(row.key));
      counts.delete(nameOf(deployment));
      if (isTaken) return { [Symbol.dispose]: () => held.has(row.key) && release(row) };
      held.delete(row.key);
      return null;
    },
    async isFree(deployment, max) {
      const name = nameOf(deployment);
      const known = counts.get(name) ?? (await countPlaces(db, deployment));
      counts.set(name, known);
      return known < max;
    },
    async [Symbol.asyncDispose]() {
      comparing[Symbol.dispose]();
      await removePlacesOf(db, node).catch((error: unknown) => log.error(error, 'places of processes'));
    },
  };
}
