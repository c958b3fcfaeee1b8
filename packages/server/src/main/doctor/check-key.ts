// Whether the secret key is the one that the database was written with. Changes nothing.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSealedBy } from '../../audit/chain.ts';
import { auditHeadOfServer } from '../../platform/database/postgres/inspect.ts';
import { auditHeadOfFile } from '../../platform/database/sqlite/copy.ts';
import { previousKeys } from '../../platform/secrets/secret-key.ts';
import { createSecrets } from '../../platform/secrets/secrets.ts';
import type { Config } from '../config/settings.ts';
import { bad, type Finding } from './finding.ts';

const WHAT = 'Secret key';

/**
 * Empty if the database is new, the key is right, or an earlier check reports the problem. @param dataDir absolute.
 * @throws if the database cannot be read
 */
export async function checkKeyOfDatabase(config: Config, dataDir: string): Promise<Finding[]> {
  const url = config['Database.URL'];
  const file = join(dataDir, 'pressroom.sqlite');
  if (url === '' && !existsSync(file)) return [];
  const head = url === '' ? auditHeadOfFile(file) : await auditHeadOfServer(url);
  if (head === undefined) return [];
  const keyFile = join(dataDir, 'secret.key');
  const isSet = config['Secrets.Key'] !== '';
  if (!isSet && !existsSync(keyFile)) {
    const remedy = 'Restore it from a backup, or set Secrets.Key to the key of the other servers.';
    // Without an external database, the check of the data directory reports it.
    return url === ''
      ? []
      : [bad(WHAT, `the database was written with a key, but there is no ${keyFile}`, remedy)];
  }
  const key = isSet ? config['Secrets.Key'] : readFileSync(keyFile, 'utf8').trim();
  if (
    key === '' ||
    isSealedBy(createSecrets(key, previousKeys(config['Secrets.PreviousKeys'])), head) !== false
  )
    return [];
  return [
    bad(
      WHAT,
      `the database was written with another key than ${isSet ? 'Secrets.Key' : `that in ${keyFile}`}`,
      'Set Secrets.Key to the other key, or add that to Secrets.PreviousKeys: nothing encrypted with it can be read.',
    ),
  ];
}
