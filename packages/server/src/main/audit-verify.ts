// `npm run audit:verify`: verifies the audit log of the configured server.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { verifyAudit } from '../audit/chain.ts';
import { openMigrated } from '../platform/database/storage.ts';
import { reasonOf } from '../platform/errors.ts';
import { loadConfig } from './config/load-config.ts';
import { openSecrets } from './open-secrets.ts';

try {
  const config = loadConfig(process.env);
  const dataDir = resolve(config['Server.DataDir']);
  const where = config['Database.URL'] || join(dataDir, 'pressroom.sqlite');
  if (config['Database.URL'] === '' && !existsSync(where))
    throw new Error(`there is no ${where}: is Server.DataDir right?`);
  const secrets = openSecrets(config, dataDir);
  await using storage = await openMigrated(where);
  const { linked, unlinked, removed, problem } = await verifyAudit(storage.db, secrets);
  const older = unlinked > 0 ? `; ${unlinked} older ones are of a time before entries were linked` : '';
  const dropped = removed > 0 ? `; ${removed} before them were removed by Audit.Retention` : '';
  if (problem === null) console.log(`The audit log is whole: ${linked} entries${dropped}${older}.`);
  else {
    const key = linked === 0 ? ' Or it was written with another key: add that to Secrets.PreviousKeys.' : '';
    console.error(
      `The audit log is not whole: ${problem}. ${linked} entries before that are as they were written${older}.${key}`,
    );
    process.exitCode = 1;
  }
} catch (error) {
  console.error(`The audit log cannot be checked: ${reasonOf(error)}`);
  process.exitCode = 2;
}
