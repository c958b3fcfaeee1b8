// pressroom admin backup: downloads a backup that the owner of the API key confirms in the browser.
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { describeBackup, readBackup, type BackupContents } from '@pressroom/api/backup';
import { type BundleDownload, type Client, statusOf } from '@pressroom/api/client';
import { BrowserSignInError, waitForApproval } from '@pressroom/api/sign-in';
import type { Command, CommandContext } from '../../command.ts';
import { openClient, resolveConnection } from '../../connection.ts';
import { requireNew, saveDownload } from '../../save-download.ts';
import { show } from '../../terminal/output.ts';

export const adminBackup: Command = {
  name: 'backup',
  synopsis: 'admin backup FILE',
  summary: 'Download a backup of the server to a new file, after a confirmation in the browser',
  help: [
    'A backup contains the hashes of passwords, and usually the key that decrypts everything: an API key',
    'alone does not get one. The owner of the API key, an administrator, confirms it in the browser, within',
    'ten minutes of signing in there. Exit code 3 if it is denied, or not confirmed within ten minutes.',
    'FILE gets mode 0600. For backups that run by themselves, use npm run backup on the server.',
  ],
  positionals: [1, 1],
  async run(context) {
    const file = resolve(context.cwd, context.positionals[0] ?? '');
    // It can be downloaded once, and needs a person.
    requireNew(file);
    await using client = openClient(context, await resolveConnection(context));
    const download = await confirmed(context, client);
    const from = { server: client.url, operation: 'downloadBackup' };
    const { bytes, contents } = await saveDownload(context, from, download, {
      file,
      mode: 0o600,
      check: async (partial, size) => ({ bytes: size, contents: await readBackup(partial) }),
    });
    return show(context, { file, bytes, ...jsonOf(contents) }, () => [
      [`Backed up to ${file} (${Math.ceil(bytes / 1e6)} MB):`],
      ...describeBackup(contents).map((line) => [line]),
      ['Not in it: the settings, installed R and Python packages, logs of processes.'],
    ]);
  },
};

/** Without the key's code, which is for `restore` only. */
export function jsonOf({ note, bundles, sites }: BackupContents): object {
  const { created, version, database, key } = note;
  return { created, version, database, key, bundles_in: note.bundles ?? 'here', bundles, sites };
}

async function confirmed(context: CommandContext, client: Client): Promise<BundleDownload> {
  const { terminal, signal } = context;
  const call = { signal };
  const begun = await client
    .beginBackup({ client_name: `pressroom on ${hostname()}` }, call)
    .catch((error: unknown) => {
      throw statusOf(error) === 404 ? new BrowserSignInError('unsupported', error, 'backup') : error;
    });
  const poll = () => client.downloadBackup({ device_code: begun.device_code }, call);
  return waitForApproval(client.url, begun, poll, {
    what: 'backup',
    signal,
    onCode({ verification_uri_complete, user_code }) {
      terminal.note(`Open ${verification_uri_complete}`);
      terminal.note(
        `and confirm the backup if the page shows the code ${user_code}. Press Ctrl-C to cancel.`,
      );
    },
  });
}
