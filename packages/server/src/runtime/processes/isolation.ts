// What keeps content away from the server and from other content: each means is probed by really using it, and reported.
import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { lstat, mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { release, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findAccount, ownAccount, type Account } from './accounts.ts';
import { findCgroups, type Cgroups } from './cgroups.ts';

const execute = promisify(execFile);

export interface Isolation {
  /** The account that content runs as unless it says otherwise; null: the server's own. */
  readonly account: Account | null;
  /** Whether processes can be given other accounts at all. */
  readonly switchesAccounts: boolean;
  /** Whether processes get mounts, processes and IPC of their own. */
  readonly mounts: boolean;
  readonly diesWithServer: boolean;
  /** Whether a limit on processes counts those of one process tree only, not all of the account. */
  readonly countsOwnProcesses: boolean;
  readonly cgroups: Cgroups | null;
  /** What is protected, and what is not, in words for the log and the server page. */
  readonly report: readonly IsolationFinding[];
}

export interface IsolationFinding {
  readonly protected: boolean;
  readonly says: string;
}

export interface IsolationSettings {
  readonly mode: 'auto' | 'required' | 'off';
  /** `Applications.RunAs`; empty: the account of the server, or `nobody` when that is root. */
  readonly runAs: string;
}

/**
 * @throws when isolation is required and not to be had, or content is to run as an account that does not exist
 * or that this server may not switch to.
 */
export async function probeIsolation({ mode, runAs }: IsolationSettings): Promise<Isolation> {
  const isRoot = process.getuid?.() === 0;
  const account = defaultAccount(runAs, isRoot);
  const off = mode === 'off';
  const mounts = !off && (await hidesFiles(account));
  const diesWithServer = await works('setpriv', ['--pdeathsig', 'KILL', 'true']);
  const cgroups = off ? null : await findCgroups();
  const countsOwnProcesses = mounts && process.getuid?.() !== 0 && hasCountsByNamespace(release());
  const findings: IsolationFinding[] = [
    finding(account !== null, `content runs as ${account?.name}`, ownAccountWords(isRoot)),
    finding(
      mounts,
      'content sees its own files only: no other content, no database, no key of the server (bubblewrap)',
      `content can read what its account can read, other content included${off ? ' (Isolation.Mode is off)' : ' (bubblewrap is missing or may not be used)'}`,
    ),
    finding(
      cgroups !== null || countsOwnProcesses,
      cgroups
        ? `memory and processes of content are limited (cgroup ${cgroups.version})`
        : 'processes of content are limited, and the memory of each (no control groups)',
      'memory is limited for each process, but the number of processes is not (no control groups)',
    ),
    finding(
      diesWithServer,
      `processes end with the server${mounts ? '' : ', but not those they start'}`,
      'processes of content may outlive the server (setpriv is missing)',
    ),
  ];
  if (mode === 'required' && findings.some((item) => !item.protected)) {
    const lacking = findings.filter((item) => !item.protected).map((item) => item.says);
    throw new Error(`Isolation.Mode is required, but: ${lacking.join('; ')}`);
  }
  return {
    account,
    switchesAccounts: isRoot,
    mounts,
    diesWithServer,
    countsOwnProcesses,
    cgroups,
    report: findings,
  };
}

/** From Linux 5.14 on, processes are counted in each user namespace; bubblewrap makes one where it is not run by root. */
function hasCountsByNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

function finding(protects: boolean, yes: string, no: string): IsolationFinding {
  return { protected: protects, says: protects ? yes : no };
}

function ownAccountWords(isRoot: boolean): string {
  return isRoot
    ? 'content runs as root (there is no account nobody)'
    : 'content runs as the account of the server (only a server run by root can switch accounts)';
}

function defaultAccount(runAs: string, isRoot: boolean): Account | null {
  if (runAs === '') return isRoot ? findAccount('nobody') : null;
  const account = findAccount(runAs);
  if (!account) throw new Error(`Applications.RunAs names the account ${runAs}, which does not exist`);
  if (account.uid === ownAccount().uid) return isRoot ? account : null;
  if (!isRoot)
    throw new Error(`Applications.RunAs is ${runAs}, but only a server run by root can switch accounts`);
  return account;
}

/** Directories of the system that every process may read, as far as they are there; /etc without what is secret. */
const SYSTEM = ['/usr', '/etc', '/opt', '/var/lib/dpkg', '/var/cache/fontconfig', '/run/systemd/resolve'];
const LINKS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** What bubblewrap is told about the system: its programs to read, devices, processes of its own. */
export async function systemMounts(): Promise<string[]> {
  const present = SYSTEM.filter((path) => existsSync(path));
  const mounts = mountsAt('--ro-bind', present);
  for (const path of LINKS) {
    const stat = await lstat(path).catch(() => null);
    if (stat?.isSymbolicLink()) mounts.push('--symlink', await readlink(path), path);
    else if (stat?.isDirectory()) mounts.push('--ro-bind', path, path);
  }
  return [...mounts, '--proc', '/proc', '--dev', '/dev', '--perms', '1777', '--tmpfs', '/dev/shm'];
}

/** Binds paths where they are, below directories that everybody may enter. */
export function mountsAt(how: '--ro-bind' | '--bind', paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const parents = dirname(path).split('/').slice(1);
    const above = parents.map((_, i) => `/${parents.slice(0, i + 1).join('/')}`).filter((dir) => dir !== '/');
    return [...above.flatMap((dir) => ['--perms', '0755', '--dir', dir]), how, path, path];
  });
}

/** What hides paths that lie below those of the system: a data directory in /opt, a settings file in /etc. */
export function hidingMounts(paths: readonly string[]): string[] {
  const visible = paths.filter((path) => SYSTEM.some((shown) => path.startsWith(`${shown}/`)));
  return visible.flatMap((path) => {
    if (!existsSync(path)) return [];
    return statSync(path).isDirectory() ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
  });
}

/** What a process keeps of root's rights until it becomes another account. */
export function capabilities(switches: boolean): string[] {
  return ['--cap-drop', 'ALL', ...(switches ? ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'] : [])];
}

export function becomeAccount({ uid, gid }: Account): string[] {
  return ['setpriv', '--reuid', String(uid), '--regid', String(gid), '--clear-groups', '--inh-caps=-all'];
}

async function hidesFiles(account: Account | null): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-probe-'));
  try {
    const secret = join(directory, 'secret');
    await writeFile(secret, '');
    const check = 'test ! -e "$1" && test "$(ls /proc | grep -c "^[0-9]")" -lt 8';
    const own = ['--unshare-pid', '--unshare-ipc', '--die-with-parent', '--new-session'];
    const become = [...capabilities(account !== null), '--', ...(account ? becomeAccount(account) : [])];
    const args = [...own, ...(await systemMounts()), ...become, 'sh', '-c', check, 'sh', secret];
    return await works('bwrap', args);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function works(file: string, args: string[]): Promise<boolean> {
  return execute(file, args, { timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}
