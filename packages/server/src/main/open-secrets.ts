// The secrets of a server that was started before, for the operator's commands.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { previousKeys, readSecretKey } from '../platform/secrets/secret-key.ts';
import { createSecrets, type Secrets } from '../platform/secrets/secrets.ts';
import type { Config } from './config/settings.ts';

/** @throws if there is no key: one made here would not be that of the server, and the next start would use it. */
export function openSecrets(config: Config, dataDir: string): Secrets {
  const file = join(dataDir, 'secret.key');
  const key = config['Secrets.Key'];
  if (key === '' && !existsSync(file)) throw new Error(`there is no ${file}: is Secrets.Key set?`);
  return createSecrets(key || readSecretKey(dataDir), previousKeys(config['Secrets.PreviousKeys']));
}
