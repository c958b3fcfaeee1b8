// `npm run backup -- FILE`: backs up the configured server to one file, while it runs.
import { resolve } from 'node:path';
import { describeBackup } from '@pressroom/api/backup';
import { reasonOf } from '../platform/errors.ts';
import { createBackup } from './backup/create-backup.ts';
import { untilInterrupted } from './backup/interrupted.ts';
import { loadConfig } from './config/load-config.ts';

const [file, ...others] = process.argv.slice(2);
if (file === undefined || others.length > 0 || file.startsWith('-')) {
  console.error(
    'Usage: npm run backup -- FILE\nBacks up the database, bundles and deployed content to one new file.',
  );
  process.exitCode = 2;
} else {
  try {
    // npm changes to the package's directory.
    const target = resolve(process.env.INIT_CWD ?? '.', file);
    const made = await createBackup(loadConfig(process.env), target, { signal: untilInterrupted() });
    const settings = process.env.PRESSROOM_CONFIG;
    const lines = [
      `Backed up to ${target} (${Math.ceil(made.bytes / 1e6)} MB):`,
      ...describeBackup(made),
      `Not in it: the settings${settings ? ` (${settings})` : ''}, installed R and Python packages, logs of processes.`,
    ];
    console.log(lines.join('\n'));
  } catch (error) {
    console.error(`Nothing was backed up: ${reasonOf(error)}`);
    process.exitCode = 1;
  }
}
