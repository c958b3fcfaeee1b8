// pressroom admin restore: checks whether a backup is complete, and says how to restore it on the server's machine.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { BackupError, describeBackup, readBackup } from '@pressroom/api/backup';
import type { Command } from '../../command.ts';
import { show } from '../../terminal/output.ts';
import { jsonOf } from './backup.ts';

export const adminRestore: Command = {
  name: 'restore',
  synopsis: 'admin restore FILE',
  summary: 'Check that a backup is complete, and show how to restore it on the machine of the server',
  help: [
    'Changes nothing. A backup is restored to an empty data directory on the machine: a server that took',
    'one over the network would belong to whoever sends it first. Exit code 1 if FILE cannot be restored.',
  ],
  positionals: [1, 1],
  async run(context) {
    const file = resolve(context.cwd, context.positionals[0] ?? '');
    if (!existsSync(file)) throw new BackupError(`There is no file ${file}.`);
    const contents = await readBackup(file);
    const { created, version } = contents.note;
    const command = `npm run restore -- '${file.replaceAll("'", String.raw`'\''`)}'`;
    return show(context, { file, command, ...jsonOf(contents) }, () => [
      [`${file} is whole. Made ${created} by Pressroom ${version}; in it:`],
      ...describeBackup(contents).map((line) => [line]),
      [
        `To restore it, copy it to the machine of the server, stop the server, and with its settings and an empty data directory run: ${command} (built: node packages/server/dist/restore.mjs FILE; in a container: node /opt/pressroom/restore.mjs FILE)`,
      ],
    ]);
  },
};
