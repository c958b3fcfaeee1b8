// `npm run move-files`: copies the files of the data directory to the configured S3 store.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { countUsers } from '../people/store.ts';
import { hasArchives } from '../platform/blobs/directory-blob-store.ts';
import { claimDataDirectory, DataDirectoryInUse, type Claim } from '../platform/claim-data-directory.ts';
import { openMigrated } from '../platform/database/storage.ts';
import { reasonOf } from '../platform/errors.ts';
import { previousKeys, readSecretKey } from '../platform/secrets/secret-key.ts';
import { createSecrets } from '../platform/secrets/secrets.ts';
import { claimBucket } from './claim-bucket.ts';
import { loadConfig } from './config/load-config.ts';
import { moveFiles, type Count } from './move/move-files.ts';
import { openS3 } from './open-blobs.ts';

const CHECK = '--check';

const unknown = process.argv.slice(2).filter((argument) => argument !== CHECK);
if (unknown.length > 0) {
  console.error(
    'Usage: npm run move-files [-- --check]\nCopies bundles, rendered documents and logs of Server.DataDir to the S3 store of the settings.\n' +
      'Run it again after an interruption: what is in the store is not copied again. --check reads it to its end, and compares.',
  );
  process.exitCode = 2;
} else {
  try {
    await move(process.argv.includes(CHECK));
  } catch (error) {
    console.error(`The copy is not finished: ${reasonOf(error)}\nRun it again: it goes on where it was.`);
    process.exitCode = 1;
  }
}

async function move(check: boolean): Promise<void> {
  const config = loadConfig(process.env);
  if (config['Storage.Type'] !== 's3')
    throw new Error('set Storage.Type to s3, and the other Storage settings, for this command');
  const dataDir = resolve(config['Server.DataDir']);
  const file = join(dataDir, 'pressroom.sqlite');
  if (config['Database.URL'] === '' && !existsSync(file))
    throw new Error(`there is no ${file}: is Server.DataDir right?`);
  const keys = [config['Secrets.Key'], ...previousKeys(config['Secrets.PreviousKeys'])];
  if (existsSync(join(dataDir, 'secret.key')) && !keys.includes(readSecretKey(dataDir)))
    throw new Error(
      `Secrets.Key must be the key in ${join(dataDir, 'secret.key')}, or Secrets.PreviousKeys name it`,
    );
  if (!existsSync(dataDir)) throw new Error(`there is no ${dataDir}: is Server.DataDir right?`);
  await using stack = new AsyncDisposableStack();
  const claim = stack.use(claimIfFree(dataDir));
  const { objects } = stack.use(await openS3(config, pino({ level: 'warn' })));
  const { db } = stack.use(await openMigrated(config['Database.URL'] || file));
  if ((await countUsers(db, 'all')) === 0 && hasArchives(join(dataDir, 'bundles')))
    throw new Error(
      `the database is empty, but ${join(dataDir, 'bundles')} has bundles: leave out Database.URL until npm run move-database has copied it`,
    );
  await claimBucket(objects, createSecrets(config['Secrets.Key'], keys), config);
  const onCopied = (name: string) => console.log(`copied ${name}`);
  const { bundles, rendered, logs, missing, damaged } = await moveFiles({
    db,
    dataDir,
    objects,
    check,
    onCopied,
  });
  console.log(`Bundles: ${sum(bundles)}. Rendered documents: ${sum(rendered)}. Logs: ${sum(logs)}.`);
  for (const name of damaged) console.error(`Not copied, as its checksum is not that of its upload: ${name}`);
  for (const name of missing) console.error(`Not there: ${name}`);
  if (missing.length + damaged.length > 0) {
    console.error('Deploy that content again, or restore the files from a backup and run this again.');
    process.exitCode = 1;
  } else if (claim !== null)
    console.log('All of it is in the store. Start the servers with Storage.Type = s3.');
  else
    console.log(
      `All that there was is in the store, but a server uses ${dataDir}. Unless it has Storage.Type = s3 already: stop it, and run this again before you start any server with the store. What was published meanwhile is missing there.`,
    );
}

/** Null if a server uses it. Otherwise none starts until the end: what it accepts would not be copied. */
function claimIfFree(dataDir: string): Claim | null {
  try {
    return claimDataDirectory(dataDir);
  } catch (error) {
    if (error instanceof DataDirectoryInUse) return null;
    throw error;
  }
}

function sum({ copied, bytes, known }: Count): string {
  return `${copied} copied (${Math.ceil(bytes / 1e6)} MB), ${known} were there already`;
}
