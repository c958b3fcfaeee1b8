// Private directories of processes, and the ownership of files.
import { hash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readdir, rmdir, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DataDirectoryInUse } from '../../platform/claim-data-directory.ts';
import { ignore } from '../../platform/errors.ts';
import { holdDirectory, holdLeft } from '../../platform/held-directory.ts';
import type { Account } from './accounts.ts';
import { chownTree } from './chown-tree.ts';
import { removeTree } from './remove-tree.ts';
import type { StarterOptions } from './starter.ts';

export interface RunDirectory extends AsyncDisposable {
  readonly path: string;
  /** Ids of processes of killed servers, whose directories were removed when it was opened. */
  readonly left: readonly string[];
  /**
   * Creates the private directory of a process: its owner writes in it; the server, as its group, reaches the socket.
   */
  makePrivate(id: string, account: Account | null): Promise<string>;
  /** Removes those of servers that were there when it was opened, and were killed since. */
  removeLeftovers(): Promise<void>;
}

/**
 * The parent of private directories. Not in the data directory: the path of a unix socket has at most 107 bytes.
 * What a killed server left is removed by the next server that starts.
 */
export async function openRunDirectory({
  dataDir,
  isAlone,
  id,
  server,
}: Pick<StarterOptions, 'dataDir' | 'isAlone' | 'id' | 'server'>): Promise<RunDirectory> {
  const above = directoryOf(dataDir);
  const path = join(above, id);
  if (isAlone) await refuseOtherSupervisor(dataDir);
  const held = await holdWithin(above, path);
  const others = (await readdir(above)).map((name) => join(above, name)).filter((other) => other !== path);
  if (isAlone) for (const left of others) await removeTree(left);
  const left = await removeLeft(others);
  return {
    path,
    left,
    async makePrivate(name, account) {
      const own = join(path, name);
      await mkdir(own, { mode: 0o700 });
      if (!account) return own;
      await chown(own, account.uid, server?.gid ?? account.gid);
      if (server) await chmod(own, 0o2770);
      return own;
    },
    async removeLeftovers() {
      await removeLeft(others);
    },
    async [Symbol.asyncDispose]() {
      held[Symbol.dispose]();
      await removeTree(path);
      // Unless another server of the same data directory uses it.
      await rmdir(dirname(path)).catch(() => undefined);
    },
  };
}

/** Holds a directory in that of all servers, which the last one that stops removes: perhaps right now. */
async function holdWithin(above: string, path: string): Promise<Disposable> {
  const uid = process.getuid?.() ?? 0;
  for (;;) {
    await mkdir(above, { mode: 0o711 }).catch(ignore('EEXIST'));
    try {
      const stat = await lstat(above);
      // From here on nobody else can replace it: /tmp has the sticky bit. Otherwise the start fails.
      if (!stat.isDirectory() || stat.uid !== uid || (stat.mode & 0o022) !== 0)
        throw new Error(`${above} belongs to somebody else`);
      return holdDirectory(path);
    } catch (error) {
      ignore('ENOENT')(error);
    }
  }
}

/** The supervisor's socket in the run directory. */
export function supervisorSocket(directory: string): string {
  return join(directory, 'supervisor', 's');
}

/**
 * Supervisors do not claim the data directory: they start before the server that does.
 * @throws if another supervisor uses the data directory, before anything is removed
 */
export async function refuseOtherSupervisor(dataDir: string): Promise<void> {
  const above = directoryOf(dataDir);
  for (const name of await readdir(above).catch(() => []))
    if (await listens(supervisorSocket(join(above, name)))) throw new DataDirectoryInUse(dataDir);
}

/** Returns the names in what it removed. Another server that starts may remove the same. */
async function removeLeft(directories: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  for (const directory of directories) {
    using left = holdLeft(directory);
    if (left === null) continue;
    names.push(...((await readdir(directory).catch(ignore('ENOENT'))) ?? []));
    await removeTree(directory);
  }
  return names;
}

/** Only its owner may enter. */
function directoryOf(dataDir: string): string {
  const uid = process.getuid?.() ?? 0;
  return join(tmpdir(), `pressroom-${uid}-${hash('sha256', dataDir, 'hex').slice(0, 12)}`);
}

function listens(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

const CLOSED = 0o750;
/** As it was unpacked. */
const OPEN = 0o755;

/** Implements `Starter.give`. @param isClosed whether files are closed to the accounts of other content. */
export async function giveFiles(
  path: string,
  account: Account | null,
  { server, isClosed }: { server: Account | undefined; isClosed: boolean },
): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const own = server ?? { uid: 0, gid: 0 };
  // The server has access as the group, other content has none.
  const closes = account !== null && isClosed;
  const { uid, gid } = account === null ? own : { uid: account.uid, gid: closes ? own.gid : account.gid };
  // A server that isolated content otherwise has closed it: the group of this account has access now, the server has none.
  const wasClosed = account !== null && ((await stat(path)).mode & 0o777) === CLOSED;
  await chownTree(path, { uid, gid }, closes ? CLOSED : wasClosed ? OPEN : null);
}
