// Git as the rest of the server asks for it: the newest commit, and a bundle of it.
import type { Readable } from 'node:stream';
import type { Commit } from '../bundles/commit.ts';
import type { Config } from '../main/config/settings.ts';
import type { Ids } from '../platform/clock.ts';
import { repositoryContext } from '../platform/secrets/sealed-contexts.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { Launcher } from '../runtime/sandbox/launcher.ts';
import { resolveHost } from './address.ts';
import { checkOut, fetchCommit, newestCommit, type FetchLimits } from './fetch-commit.ts';
import { makeBundle } from './make-bundle.ts';
import { inDirectory, type Remote } from './run-git.ts';
import type { RepositoryRow } from './store.ts';

export interface Git {
  newestCommit(row: RepositoryRow, signal: AbortSignal): Promise<string>;
  /**
   * Fetches the newest commit.
   * @param use is given the commit and makes the archive where it wants it; all is removed when it is done.
   */
  withCommit<T>(
    row: RepositoryRow,
    options: { readonly print: (line: string) => void; readonly signal: AbortSignal },
    use: (commit: Commit, archive: () => Promise<Readable>) => Promise<T>,
  ): Promise<T>;
  /** What no output may show. */
  secretsOf(row: RepositoryRow): string[];
}

export interface GitOptions {
  readonly config: Config;
  readonly launcher: Launcher;
  readonly secrets: Secrets;
  readonly ids: Ids;
  readonly workDirectory: string;
}

export function createGit({ config, launcher, secrets, ids, workDirectory }: GitOptions): Git {
  const limits: FetchLimits = {
    fetched: config['Git.MaxRepositorySize'],
    unpacked: config['Applications.MaxUnpackedSize'],
    entries: config['Applications.MaxBundleEntries'],
    timeout: config['Git.Timeout'],
  };
  const tokenOf = ({ token, content_guid }: RepositoryRow) =>
    token === null ? null : secrets.decrypt(token, repositoryContext(content_guid, 'token'));
  const nextName = () => `git-${ids.taskId()}`;

  async function remoteOf(row: RepositoryRow): Promise<Remote> {
    const { url, branch, username } = row;
    return {
      url,
      branch,
      username,
      token: tokenOf(row),
      resolved: await resolveHost(url, config['Git.PrivateHosts']),
    };
  }

  return {
    async newestCommit(row, signal) {
      const remote = await remoteOf(row);
      return inDirectory(launcher, workDirectory, nextName(), (directory) =>
        newestCommit({ launcher, directory, limits, signal }, remote),
      );
    },
    async withCommit(row, { print, signal }, use) {
      const remote = await remoteOf(row);
      return inDirectory(launcher, workDirectory, nextName(), async (directory) => {
        const place = { launcher, directory, limits, signal };
        const commit = await fetchCommit(place, remote);
        return use({ ...commit, directory: row.directory }, async () => {
          const files = await checkOut(place, commit.sha, row.directory);
          return makeBundle(files, limits, signal, print);
        });
      });
    },
    secretsOf(row) {
      const token = tokenOf(row);
      if (token === null) return [];
      return [token, Buffer.from(`${row.username ?? 'git'}:${token}`).toString('base64')];
    },
  };
}
