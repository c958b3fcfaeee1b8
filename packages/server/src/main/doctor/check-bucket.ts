// The S3 store: whether it can be listed and written to with these settings, and is that of the database.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { inspectServer } from '../../platform/database/postgres/inspect.ts';
import { inspectFile } from '../../platform/database/sqlite/copy.ts';
import { messageOf } from '../../platform/errors.ts';
import { previousKeys } from '../../platform/secrets/secret-key.ts';
import { createSecrets } from '../../platform/secrets/secrets.ts';
import { requireClaimable } from '../claim-bucket.ts';
import type { Config } from '../config/settings.ts';
import { openS3 } from '../open-blobs.ts';
import { bad, good, type Finding } from './finding.ts';

const WHAT = 'S3 store';

/** @param dataDir absolute */
export async function checkBucket(config: Config, dataDir: string): Promise<Finding[]> {
  if (config['Storage.Type'] !== 's3') return [];
  try {
    using store = await openS3(config, pino({ level: 'silent' }));
    const secrets = createSecrets(config['Secrets.Key'], previousKeys(config['Secrets.PreviousKeys']));
    const areElsewhere = async () => (await namesBundles(config, dataDir)) && !(await store.hasSome());
    await requireClaimable(store.objects, secrets, config, areElsewhere);
    return [good(WHAT, `the bucket ${config['Storage.Bucket']} can be read and written`)];
  } catch (error) {
    const remedy =
      'Correct that setting, and see that the bucket exists and its key may list, read, write and delete.';
    return [bad(WHAT, messageOf(error), remedy)];
  }
}

/** Whether the database names bundles; false if it cannot be read, which another check reports. */
async function namesBundles(config: Config, dataDir: string): Promise<boolean> {
  const url = config['Database.URL'];
  const file = join(dataDir, 'pressroom.sqlite');
  try {
    if (url !== '') return (await inspectServer(url)).hasBundles;
    return existsSync(file) && inspectFile(file).hasBundles;
  } catch {
    return false;
  }
}
