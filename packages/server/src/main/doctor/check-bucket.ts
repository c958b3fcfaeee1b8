// The S3 store: whether it can be listed and written to with these settings.
import { pino } from 'pino';
import { messageOf } from '../../platform/errors.ts';
import { previousKeys } from '../../platform/secrets/secret-key.ts';
import { createSecrets } from '../../platform/secrets/secrets.ts';
import { requireClaimable } from '../claim-bucket.ts';
import type { Config } from '../config/settings.ts';
import { openS3 } from '../open-blobs.ts';
import { bad, good, type Finding } from './finding.ts';

const WHAT = 'S3 store';

export async function checkBucket(config: Config): Promise<Finding[]> {
  if (config['Storage.Type'] !== 's3') return [];
  try {
    using store = await openS3(config, pino({ level: 'silent' }));
    const secrets = createSecrets(config['Secrets.Key'], previousKeys(config['Secrets.PreviousKeys']));
    await requireClaimable(store.objects, secrets, config);
    return [good(WHAT, `the bucket ${config['Storage.Bucket']} can be read and written`)];
  } catch (error) {
    const remedy =
      'Correct that setting, and see that the bucket exists and its key may list, read, write and delete.';
    return [bad(WHAT, messageOf(error), remedy)];
  }
}
