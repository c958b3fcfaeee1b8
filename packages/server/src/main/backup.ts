// `npm run backup -- FILE`: backs up the server that the settings name to one file, while it runs.
import { resolve } from 'node:path';
import { messageOf } from '../platform/errors.ts';
import { createBackup } from './backup/create-backup.ts';
import { loadConfig } from './config/load-config.ts';

const [file, ...others] = process.argv.slice(2);
if (file === undefined || others.length > 0 || file.startsWith('-')) {
  console.error(
    'Usage: npm run backup -- FILE\nBacks up the database, bundles and deployed content to one new file.',
  );
  process.exitCode = 2;
} else {
  try {
    // npm changes to the directory of the package.
    const target = resolve(process.env.INIT_CWD ?? '.', file);
    const { note, bytes, bundles, sites, isInStore } = await createBackup(loadConfig(process.env), target);
    const settings = process.env.PRESSROOM_CONFIG;
    const lines = [
      `Backed up to ${target} (${Math.ceil(bytes / 1e6)} MB):`,
      note.database === 'sqlite'
        ? '  the database: users, groups, permissions, variables, schedules, tasks, visits, the audit log'
        : '  NOT the database: it is in PostgreSQL. Back it up first, then the files:',
      ...(note.database === 'sqlite'
        ? []
        : ['    pg_dump --format=custom --file=FILE.dump "$PRESSROOM_DATABASE_URL"']),
      isInStore
        ? '  NOT the bundles: they are in the S3 store. Copy the bucket, or keep versions of it'
        : `  ${bundles} bundles, and the files of ${sites} deployed content items`,
      note.key === 'file'
        ? '  secret.key, which decrypts the variables: protect the file like the server'
        : '  NOT the key: it is the setting Secrets.Key. Keep a copy: without it variables cannot be decrypted',
      `Not in it: the settings${settings ? ` (${settings})` : ''}, installed R and Python packages, logs of processes.`,
    ];
    console.log(lines.join('\n'));
  } catch (error) {
    console.error(`Nothing was backed up: ${messageOf(error)}`);
    process.exitCode = 1;
  }
}
