// The Git service: the newest commit, and a bundle of it.
import type { Readable } from 'node:stream';
import type { Commit } from '../bundles/commit.ts';
import { listOf } from '../main/config/setting-kinds.ts';
import type { Config } from '../main/config/settings.ts';
import type { Ids } from '../platform/clock.ts';
import { repositoryContext } from '../platform/secrets/sealed-contexts.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { Launcher } from '../runtime/sandbox/launcher.ts';
import { isSsh, reachableFirst, resolveHost } from './address.ts';
import { checkOut, fetchCommit, newestCommit, type FetchLimits, type Place } from './fetch-commit.ts';
import { keysOf, notTrusted, offeredKeys } from './host-keys.ts';
import { askOverSsh, fetchLargeFiles, httpServer, type LargeFileServer } from './large-files.ts';
import { makeBundle } from './make-bundle.ts';
import { authorizationOf, inDirectory, type Remote } from './run-git.ts';
import type { RepositoryRow } from './store.ts';

export interface Git {
  newestCommit(row: RepositoryRow, signal: AbortSignal): Promise<string>;
  /** With the tree of the directory, and where possible without fetching files. */
  newestTree(row: RepositoryRow, signal: AbortSignal): Promise<Commit>;
  /**
   * Fetches the newest commit.
   * @param use receives the commit and writes its archive; everything else is removed afterwards.
   */
  withCommit<T>(
    row: RepositoryRow,
    options: { readonly print: (line: string) => void; readonly signal: AbortSignal },
    use: (commit: Commit, archive: () => Promise<Readable>) => Promise<T>,
  ): Promise<T>;
  /** Secrets that no output may show. */
  secretsOf(row: RepositoryRow): string[];
}

export interface GitOptions {
  readonly config: Config;
  readonly launcher: Launcher;
  readonly secrets: Secrets;
  readonly ids: Ids;
  readonly workDirectory: string;
  /** Stores the host keys that an ssh server offered, for the owner to review. */
  readonly noteOffered: (row: RepositoryRow, keys: readonly string[]) => Promise<void>;
}

export function createGit({ config, launcher, secrets, ids, workDirectory, noteOffered }: GitOptions): Git {
  const limits: FetchLimits = {
    fetched: config['Git.MaxRepositorySize'],
    unpacked: config['Applications.MaxUnpackedSize'],
    entries: config['Applications.MaxBundleEntries'],
    timeout: config['Git.Timeout'],
  };
  const tokenOf = ({ token, content_guid }: RepositoryRow) =>
    token === null ? null : secrets.decrypt(token, repositoryContext(content_guid, 'token'));
  const keyOf = ({ ssh_key, content_guid }: RepositoryRow) =>
    ssh_key === null ? null : secrets.decrypt(ssh_key, repositoryContext(content_guid, 'ssh_key'));
  const nextName = () => `git-${ids.taskId()}`;

  async function remoteOf(row: RepositoryRow): Promise<Remote> {
    const { url, branch, username } = row;
    const place = await resolveHost(url, config['Git.PrivateHosts']);
    return {
      url,
      branch,
      username,
      token: tokenOf(row),
      place: isSsh(url) ? await reachableFirst(place) : place,
      ssh: isSsh(url) ? { key: keyOf(row) ?? '', hostKeys: keysOf(row.host_keys) } : null,
    };
  }

  /** For a server without trusted keys: asks only for its host keys. @throws ApiError 1 */
  async function requireTrust(place: Place, remote: Remote, row: RepositoryRow): Promise<void> {
    if (remote.ssh === null || remote.ssh.hostKeys.length > 0) return;
    const offered = await offeredKeys(launcher, place, remote);
    await noteOffered(row, offered);
    throw notTrusted(remote, offered);
  }

  async function largeFileServer(remote: Remote, signal: AbortSignal): Promise<LargeFileServer> {
    if (remote.ssh === null) return httpServer(remote.url, authorizationOf(remote));
    return inDirectory(launcher, workDirectory, nextName(), (directory) =>
      askOverSsh({ launcher, directory, limits, signal }, remote),
    );
  }

  /** In a directory that is removed at the end. */
  async function reached<T>(
    row: RepositoryRow,
    signal: AbortSignal,
    use: (place: Place, remote: Remote) => Promise<T>,
  ): Promise<T> {
    const remote = await remoteOf(row);
    return inDirectory(launcher, workDirectory, nextName(), async (directory) => {
      const place = { launcher, directory, limits, signal };
      await requireTrust(place, remote, row);
      return use(place, remote);
    });
  }

  return {
    newestCommit: (row, signal) => reached(row, signal, newestCommit),
    newestTree: (row, signal) =>
      reached(row, signal, (place, remote) => fetchCommit(place, remote, row.directory, 'without files')),
    withCommit: (row, { print, signal }, use) =>
      reached(row, signal, async (place, remote) => {
        const commit = await fetchCommit(place, remote, row.directory, 'whole');
        return use(commit, async () => {
          const files = await checkOut(place, commit.sha, row.directory);
          return makeBundle(files, limits, signal, print, (found) =>
            fetchLargeFiles({
              root: files,
              files: found,
              branch: row.branch,
              server: () => largeFileServer(remote, signal),
              privateHosts: listOf(config['Git.PrivateHosts']),
              limits,
              signal,
              print,
            }),
          );
        });
      }),
    secretsOf(row) {
      const token = tokenOf(row);
      const key = keyOf(row);
      if (token === null) return key === null ? [] : key.trim().split('\n').slice(1, -1);
      return [token, Buffer.from(`${row.username ?? 'git'}:${token}`).toString('base64')];
    },
  };
}
