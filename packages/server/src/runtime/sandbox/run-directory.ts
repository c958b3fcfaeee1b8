// The directories that processes have for themselves, and whose files are whose.
import { hash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readdir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Account } from './accounts.ts';
import { giveTree } from './give-tree.ts';
import { removeTree } from './remove-tree.ts';
import type { StarterOptions } from './starter.ts';

export interface RunDirectory extends AsyncDisposable {
  readonly path: string;
  /** Makes the private directory of a process: its owner writes in it; the server, by its group, reaches the socket that is made in it. */
  makePrivate(id: string, account: Account | null): Promise<string>;
}

/**
 * Where the private directories of processes are. Not in the data directory: the path of a unix socket has at most
 * 107 bytes. What servers that crashed left is removed by the next one that is alone.
 */
export async function openRunDirectory({
  dataDir,
  isAlone,
  id,
  server,
}: Pick<StarterOptions, 'dataDir' | 'isAlone' | 'id' | 'server'>): Promise<RunDirectory> {
  const uid = process.getuid?.() ?? 0;
  const above = join(tmpdir(), `pressroom-${uid}-${hash('sha256', dataDir, 'hex').slice(0, 12)}`);
  await mkdir(above, { mode: 0o711 }).catch(() => undefined);
  const stat = await lstat(above);
  // From here on it is nobody else's to replace: /tmp has the sticky bit. It is never made a second time for that.
  if (!stat.isDirectory() || stat.uid !== uid || (stat.mode & 0o022) !== 0)
    throw new Error(`${above} belongs to somebody else`);
  if (isAlone) for (const left of await readdir(above)) await removeTree(join(above, left));
  const path = join(above, id);
  await mkdir(path, { mode: 0o711 });
  return {
    path,
    async makePrivate(name, account) {
      const own = join(path, name);
      await mkdir(own, { mode: 0o700 });
      if (!account) return own;
      await chown(own, account.uid, server?.gid ?? account.gid);
      if (server) await chmod(own, 0o2770);
      return own;
    },
    async [Symbol.asyncDispose]() {
      await removeTree(path);
      // Unless another server of the same data directory has its own in it.
      await rmdir(dirname(path)).catch(() => undefined);
    },
  };
}

/** What `Starter.give` does. @param isClosed whether the account's files are to be closed to other content. */
export async function giveFiles(
  path: string,
  account: Account | null,
  { server, isClosed }: { server: Account | undefined; isClosed: boolean },
): Promise<void> {
  if (process.getuid!() !== 0) return;
  const own = server ?? { uid: 0, gid: 0 };
  // The server may look, by its group, where other content may not.
  const closes = account !== null && isClosed;
  const { uid, gid } = account === null ? own : { uid: account.uid, gid: closes ? own.gid : account.gid };
  await giveTree(path, { uid, gid }, closes ? 0o750 : null);
}
