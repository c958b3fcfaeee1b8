// Bundle archives and renderings as objects of an S3 store.
import { randomUUID } from 'node:crypto';
import { errors } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import type { BlobKey, BlobSink, BlobStore, NewBlob } from '../blob-store.ts';
import { createObjects, type Objects, type S3Options } from './objects.ts';
import { answerOf, settingOf } from './store-failure.ts';

export const BUNDLES = 'bundles/';
export const SITES = 'sites/';
const LOGS = 'logs/';

/** Younger objects may be uploads of any server whose row is not written yet. */
const NEW_MS = 86_400_000;

export interface S3BlobStore extends BlobStore, Disposable {
  readonly objects: Objects;
}

/** @throws an Error that names the setting, if the bucket cannot be listed or written to. */
export async function openS3BlobStore(options: S3Options, log: Logger): Promise<S3BlobStore> {
  let objects: Objects;
  try {
    objects = createObjects(options);
  } catch (error) {
    throw new Error(`Storage.CA: ${answerOf(error)}`);
  }
  try {
    await objects.probe(`probe/${randomUUID()}`);
  } catch (error) {
    objects[Symbol.dispose]();
    const { bucket, endpoint } = options;
    const where = `${bucket}${endpoint === '' ? '' : ` at ${endpoint}`}`;
    throw new Error(`${settingOf(error)}: the store of the bucket ${where} answered ${answerOf(error)}`);
  }
  return createS3BlobStore(objects, log);
}

/** The key of an archive without the prefix. */
export function keyOfBundle({ id, blob }: BlobKey): string {
  // Ids come from the database, but a key must not rely on that.
  if (!Number.isSafeInteger(id) || id < 1) throw errors.invalidId();
  return `${BUNDLES}${blob ?? `${id}.tar.gz`}`;
}

export function keyOfSite(contentGuid: string, site: string): string {
  return `${SITES}${contentGuid}/${site}.tar.gz`;
}

export function keyOfLog(contentGuid: string, name: string): string {
  return `${LOGS}${contentGuid}/${name}`;
}

function createS3BlobStore(objects: Objects, log: Logger): S3BlobStore {
  /** Discarded together with its reservation. */
  const reserved = new WeakMap<NewBlob, BlobSink>();
  /** A failure is logged only: the archive is no longer visible. */
  const drop = (key: string) =>
    objects.remove(key).catch((error: unknown) => log.warn(error, 'removing %s from the S3 store', key));
  const listed = (below: string) =>
    objects.list(below).catch((error: unknown) => {
      log.warn(error, 'listing %s of the S3 store', below);
      return [];
    });

  async function dropOld(below: string, known: ReadonlySet<string>): Promise<string[]> {
    const old = (await objects.list(below)).filter(({ modified }) => modified < Date.now() - NEW_MS);
    const dropped = old.filter(({ key }) => !known.has(key)).map(({ key }) => key);
    for (const key of dropped) await objects.remove(key);
    return dropped;
  }

  return {
    objects,
    [Symbol.dispose]: () => objects[Symbol.dispose](),
    async reserve() {
      const blob = `${randomUUID()}.tar.gz`;
      const target = objects.sink(BUNDLES + blob);
      const made = { blob, target };
      reserved.set(made, target);
      return made;
    },
    // Nothing to do: it is stored under its own name, which the row has.
    async commit(_made, id) {
      if (!Number.isSafeInteger(id) || id < 1) throw errors.invalidId();
    },
    discard: async (made) => reserved.get(made)?.discard(),
    async open(key, range) {
      if (range !== undefined && !(range.start >= 0 && range.start < range.end)) throw errors.outOfRange();
      return objects.open(keyOfBundle(key), { range, md5: key.md5 });
    },
    size: async ({ size }) => size,
    remove: async (key) => drop(keyOfBundle(key)),
    sweep: (known) => dropOld(BUNDLES, new Set(known.map(keyOfBundle))),
    async missing(known) {
      const keys = new Set((await objects.list(BUNDLES)).map(({ key }) => key));
      return known.filter((one) => !keys.has(keyOfBundle(one))).map(({ id }) => id);
    },
    hasSome: async () => (await objects.list(BUNDLES)).length > 0,
    async sweepUploads(before, of) {
      if (of !== undefined) return [];
      return objects.abortUploads(before / 1000, (error, key) =>
        log.warn(error, 'removing the unfinished upload %s from the S3 store', key),
      );
    },
    logs: {
      put: (guid, name, log) => objects.put(keyOfLog(guid, name), log),
      open: (guid, name) => objects.open(keyOfLog(guid, name)),
      remove: (guid, name) => drop(keyOfLog(guid, name)),
      async removeAll(guid) {
        for (const { key } of await listed(`${LOGS}${guid}/`)) await drop(key);
      },
      sweep: (listed) =>
        dropOld(
          LOGS,
          new Set([...listed].flatMap(([guid, names]) => [...names].map((name) => keyOfLog(guid, name)))),
        ),
    },
    sites: {
      put: (guid, site, archive) => objects.put(keyOfSite(guid, site), archive),
      open: (guid, site) => objects.open(keyOfSite(guid, site)),
      sweep: (serving) =>
        dropOld(SITES, new Set([...serving].map(([guid, site]) => keyOfSite(guid, site ?? '')))),
      async removeAllBut(guid, kept) {
        const there = await listed(`${SITES}${guid}/`);
        const keys = new Set((await kept()).map((site) => keyOfSite(guid, site)));
        for (const { key } of there) if (!keys.has(key)) await drop(key);
      },
    },
  };
}
