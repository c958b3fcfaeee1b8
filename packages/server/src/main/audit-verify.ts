// `npm run audit:verify`: verifies the audit log of the configured server.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { verifyAudit } from '../audit/chain.ts';
import { openStorage } from '../platform/database/storage.ts';
import { messageOf } from '../platform/errors.ts';
import { previousKeys, readSecretKey } from '../platform/secrets/secret-key.ts';
import { createSecrets } from '../platform/secrets/secrets.ts';
import { loadConfig } from './config/load-config.ts';

try {
  const config = loadConfig(process.env);
  const dataDir = resolve(config['Server.DataDir']);
  // A key generated here would differ from the one the log is sealed with, and the next start would use it.
  const needed = [
    ...(config['Database.URL'] === '' ? ['pressroom.sqlite'] : []),
    ...(config['Secrets.Key'] === '' ? ['secret.key'] : []),
  ].map((name) => join(dataDir, name));
  const missing = needed.find((file) => !existsSync(file));
  if (missing !== undefined) throw new Error(`there is no ${missing}: is Server.DataDir right?`);
  const secrets = createSecrets(
    config['Secrets.Key'] || readSecretKey(dataDir),
    previousKeys(config['Secrets.PreviousKeys']),
  );
  await using storage = await openStorage(config['Database.URL'] || join(dataDir, 'pressroom.sqlite'));
  const { linked, unlinked, removed, problem } = await verifyAudit(storage.db, secrets);
  const older = unlinked > 0 ? `; ${unlinked} older ones are of a time before entries were linked` : '';
  const dropped = removed > 0 ? `; ${removed} before them were removed by Audit.Retention` : '';
  if (problem === null) console.log(`The audit log is whole: ${linked} entries${dropped}${older}.`);
  else {
    console.error(
      `The audit log is not whole: ${problem}. ${linked} entries before that are as they were written${older}.`,
    );
    process.exitCode = 1;
  }
} catch (error) {
  console.error(`The audit log cannot be checked: ${messageOf(error)}`);
  process.exitCode = 2;
}
