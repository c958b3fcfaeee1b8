// A bucket, or its prefix, belongs to the servers of one database: others would treat its archives as leftovers.
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ApiError } from '@pressroom/api/contract';
import type { Logger } from 'pino';
import { hasAuditEntry, readAuditHead } from '../audit/store.ts';
import type { Objects } from '../platform/blobs/s3/objects.ts';
import type { Executor } from '../platform/database/storage.ts';
import { endsWithin } from '../platform/ends-within.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { Config } from './config/settings.ts';

const KEY = 'pressroom';
const PURPOSE = 'bucket';
const WHAT = 'The archives below this prefix belong to the servers with one Secrets.Key.';
const MARK_MS = 60_000;
const UNMARK_MS = 5000;
/** Milliseconds after which the servers that wrote the mark are gone. Two are lost before: a store may be slow. */
const USED_MS = 200_000;

/**
 * Writes a marker with the key's fingerprint, also over that of a previous key, which may be forgotten afterwards.
 * @param areElsewhere whether the database names bundles, and there are none in the bucket; asked before the first claim
 * @throws an Error that names the setting if the marker has another key, or the bundles are elsewhere.
 */
export async function claimBucket(
  objects: Objects,
  secrets: Secrets,
  config: Config,
  areElsewhere: () => Promise<boolean> = async () => false,
): Promise<void> {
  const known = await requireClaimable(objects, secrets, config, areElsewhere);
  const mark = markOf(secrets);
  if (!known?.startsWith(mark)) await writeNote(objects, mark);
}

const markOf = (secrets: Secrets) => `${WHAT}\n${secrets.mac(WHAT, PURPOSE)}\n`;

/**
 * Returns the marker, null if there is none yet.
 * @throws an Error that names the setting if the marker has another key, or the bundles are elsewhere.
 */
export async function requireClaimable(
  objects: Objects,
  secrets: Secrets,
  config: Config,
  areElsewhere: () => Promise<boolean> = async () => false,
): Promise<string | null> {
  const note = await readNote(objects);
  if (note === null) {
    if (!(await areElsewhere())) return null;
    throw new Error(
      `Storage.Bucket or Storage.Prefix: ${placeOf(config)} is empty, but the database names bundles: see that both are those of the other servers, or copy the bundles there (npm run move-files)`,
    );
  }
  const [what = '', mac = ''] = note.split('\n');
  if (what === WHAT && secrets.isMacOf(mac, WHAT, PURPOSE)) return note;
  throw new Error(
    `Storage.Prefix: ${placeOf(config)} is used by servers with another Secrets.Key: name another prefix or bucket, or add their key to Secrets.PreviousKeys`,
  );
}

const placeOf = (config: Config) => `${config['Storage.Bucket']}/${config['Storage.Prefix']}`;

const writeNote = (objects: Objects, note: string) => objects.put(KEY, Readable.from([Buffer.from(note)]));

async function readNote(objects: Objects): Promise<string | null> {
  try {
    return await text((await objects.open(KEY)).stream);
  } catch (error) {
    if (error instanceof ApiError && error.code === 4) return null;
    throw error;
  }
}

export interface BucketUse {
  readonly objects: Objects;
  readonly secrets: Secrets;
  readonly config: Config;
  readonly db: Executor;
}

/**
 * Each side of a database and its copy would remove what the other one stores. Servers that run note the end of their
 * audit log in the mark: a copy has no such entry. A restored backup has none either, but its servers were stopped.
 * @throws an Error that names the settings while servers of another copy of the database use the bucket.
 */
export async function requireOwnBucket(use: BucketUse): Promise<void> {
  const since = await sinceOthers(use);
  if (since === null) return;
  const [ago, wait] = [since, USED_MS - since].map((ms) => Math.ceil(ms / 1000));
  throw new Error(
    `Storage.Bucket or Storage.Prefix: servers of another copy of this database used ${placeOf(use.config)} ${ago} seconds ago, and each side would remove what the other stores: copy the bucket, and name the copy. If a backup was restored and they are stopped, start again in ${wait} seconds`,
  );
}

/** Milliseconds since servers of another copy of the database used the bucket; null if none do. */
async function sinceOthers({ objects, db }: BucketUse): Promise<number | null> {
  const [, , time = '', seq, mac = ''] = (await readNote(objects))?.split('\n') ?? [];
  const since = Math.max(0, Date.now() - Number(time));
  if (time === '' || since > USED_MS) return null;
  return (await hasAuditEntry(db, Number(seq), mac)) ? null : since;
}

/** Keeps the end of the audit log in the mark, until it is closed. @param isFirst whether this server does that for all */
export async function markBucket(
  use: BucketUse,
  { isFirst, log }: { isFirst: () => Promise<boolean>; log: Logger },
): Promise<AsyncDisposable> {
  const { objects, secrets, config, db } = use;
  let marked = false;

  async function mark(): Promise<void> {
    if (!(await isFirst())) return;
    if ((await sinceOthers(use)) !== null)
      log.error(
        'servers of another copy of this database use %s, too, and each side removes what the other stores: stop one',
        placeOf(config),
      );
    const head = await readAuditHead(db);
    if (head === undefined) return;
    await writeNote(objects, `${markOf(secrets)}${Date.now()}\n${head.seq}\n${head.mac}\n`);
    marked = true;
  }

  let marking: Promise<void> | null = null;
  function attempt(): Promise<void> {
    marking ??= mark()
      .catch((error: unknown) => log.warn(error, 'marking the bucket'))
      .finally(() => (marking = null));
    return marking;
  }

  /** Nobody waits for this server after its end. Another one marks it again. */
  async function unmark(): Promise<void> {
    await marking;
    if (marked) await writeNote(objects, markOf(secrets)).catch(() => undefined);
  }

  await attempt();
  const timer = setInterval(() => void attempt(), MARK_MS).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      // A stop does not wait for a store that does not respond.
      await endsWithin(unmark(), UNMARK_MS);
    },
  };
}
