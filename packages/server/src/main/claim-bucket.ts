// A bucket, or its prefix, belongs to the servers of one database: others would treat its archives as leftovers.
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ApiError } from '@pressroom/api/contract';
import type { Objects } from '../platform/blobs/s3/objects.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { Config } from './config/settings.ts';

const KEY = 'pressroom';
const PURPOSE = 'bucket';
const WHAT = 'The archives below this prefix belong to the servers with one Secrets.Key.';

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
  const note = `${WHAT}\n${secrets.mac(WHAT, PURPOSE)}\n`;
  if (known !== note) await objects.put(KEY, Readable.from([Buffer.from(note)]));
}

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

async function readNote(objects: Objects): Promise<string | null> {
  try {
    return await text((await objects.open(KEY)).stream);
  } catch (error) {
    if (error instanceof ApiError && error.code === 4) return null;
    throw error;
  }
}
