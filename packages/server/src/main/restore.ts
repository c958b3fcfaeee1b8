// `npm run restore -- FILE`: restores a backup into the empty configured data directory.
import { resolve } from 'node:path';
import { reasonOf } from '../platform/errors.ts';
import { escapeControls } from '../platform/escape-controls.ts';
import { untilInterrupted } from './backup/interrupted.ts';
import { restoreBackup, type Restored } from './backup/restore-backup.ts';
import { loadConfig } from './config/load-config.ts';

const KEYS: Readonly<Record<Restored['key'], string>> = {
  fits: 'The key fits: variables can be decrypted.',
  missing:
    'Set Secrets.Key to the value of the other machine before you start the server: the key is not in the backup.',
  another:
    'Secrets.Key is another key than that of the backup: set it to the value of the other machine, or add that to Secrets.PreviousKeys.',
};

const [file, ...others] = process.argv.slice(2);
if (file === undefined || others.length > 0 || file.startsWith('-')) {
  console.error(
    'Usage: npm run restore -- FILE\nRestores a backup to the data directory of the settings, which must be empty.',
  );
  process.exitCode = 2;
} else {
  try {
    // npm changes to the package's directory.
    const restored = await restoreBackup(
      loadConfig(process.env),
      resolve(process.env.INIT_CWD ?? '.', file),
      untilInterrupted(),
    );
    const { note, dataDir, missingBundles } = restored;
    const lines = [
      `Restored the backup of ${escapeControls(String(note.created))} to ${dataDir}.`,
      ...(note.database === 'sqlite'
        ? []
        : [
            'It has no database. Restore that to an empty one, with the address of Database.URL:',
            '  pg_restore --no-owner --exit-on-error --dbname="${PRESSROOM_DATABASE_URL:?}" FILE.dump',
          ]),
      KEYS[restored.key],
      ...(missingBundles === 0
        ? []
        : [`${missingBundles} bundles are not in the backup: they were deleted while it was made.`]),
      'Start the server with the settings of the other machine. It installs R and Python packages again as they are needed.',
    ];
    console.log(lines.join('\n'));
    if (restored.key !== 'fits') process.exitCode = 1;
  } catch (error) {
    console.error(`Nothing was restored: ${reasonOf(error)}`);
    process.exitCode = 1;
  }
}
