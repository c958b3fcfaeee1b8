// `npm run move-database`: copies the SQLite database of the data directory to the configured PostgreSQL database.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isSealedBy, verifyAudit } from '../audit/chain.ts';
import { claimDataDirectory } from '../platform/claim-data-directory.ts';
import { copyDatabase } from '../platform/database/copy-to.ts';
import { auditHeadOfFile } from '../platform/database/sqlite/copy.ts';
import { openStorage } from '../platform/database/storage.ts';
import { reasonOf } from '../platform/errors.ts';
import { loadConfig } from './config/load-config.ts';
import { openSecrets } from './open-secrets.ts';

if (process.argv.length > 2) {
  console.error(
    'Usage: npm run move-database\nCopies pressroom.sqlite in Server.DataDir to the empty database of Database.URL, while no server runs.',
  );
  process.exitCode = 2;
} else {
  try {
    await move();
  } catch (error) {
    console.error(`Nothing was copied: ${reasonOf(error)}`);
    process.exitCode = 1;
  }
}

async function move(): Promise<void> {
  const config = loadConfig(process.env);
  const dataDir = resolve(config['Server.DataDir']);
  const file = join(dataDir, 'pressroom.sqlite');
  if (config['Database.URL'] === '') throw new Error('set Database.URL to the PostgreSQL database');
  if (!existsSync(file)) throw new Error(`there is no ${file}: is Server.DataDir right?`);
  const secrets = openSecrets(config, dataDir);
  // No server may write to it meanwhile: its changes would be lost.
  using _claim = claimDataDirectory(dataDir);
  // Migrates it to the current schema.
  await (await openStorage(file))[Symbol.asyncDispose]();
  if (isSealedBy(secrets, auditHeadOfFile(file)) === false)
    throw new Error(
      `${file} was written with another key: set Secrets.Key to that, or add it to Secrets.PreviousKeys`,
    );
  await using storage = await openStorage(config['Database.URL']);
  const tables = await copyDatabase(file, storage);
  const { problem } = await verifyAudit(storage.db, secrets);
  const rows = tables.reduce((total, table) => total + table.rows, 0);
  const most = tables.filter((table) => table.rows > 0).map((table) => `  ${table.rows} ${table.name}`);
  console.log([`Copied and compared ${rows} rows of ${tables.length} tables:`, ...most].join('\n'));
  const next =
    config['Storage.Type'] === 's3'
      ? 'Run npm run move-files, then start the server with these settings.'
      : 'Start the server with Database.URL.';
  if (problem === null) console.log(`The audit log is whole. ${next}`);
  else {
    console.error(`The audit log is not whole: ${problem}. It was so before.`);
    process.exitCode = 1;
  }
}
