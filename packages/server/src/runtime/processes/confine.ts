// The command line that confines a command: it joins groups, hides files, becomes the account and sets limits.
import type { Account } from './accounts.ts';
import type { Cgroup } from './cgroups.ts';
import { becomeAccount, capabilities, mountsAt, type Isolation } from './isolation.ts';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** Must be the process' own directory, or among the readable or writable paths. */
  readonly cwd: string;
  /** Beside PATH, HOME, LANG, TMPDIR and USER, which every process gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Paths outside the system's own that it may read, or change. */
  readonly readable?: readonly string[];
  readonly writable?: readonly string[];
  /** Has the network although content may have none: for the installation of packages. */
  readonly network?: true;
}

export interface Confinement {
  readonly isolation: Isolation;
  /** What `systemMounts` answered. */
  readonly system: readonly string[];
  /** Bytes, and processes with threads; used where there is no control group for them. */
  readonly memory: number;
  readonly processes: number;
  readonly network: boolean;
  readonly account: Account | null;
  /** The process' private directory. */
  readonly directory: string;
  readonly cgroup: Cgroup | null;
}

const MAX_FILES = 4096;

export function confine(command: Command, confinement: Confinement): string[] {
  const { isolation, memory, processes, account, cgroup } = confinement;
  const joins = cgroup?.joins ?? [];
  const limits = ['prlimit', '--core=0', `--nofile=${MAX_FILES}`];
  if (!cgroup && memory > 0) limits.push(`--as=${memory}`);
  if (!cgroup && processes > 0 && isolation.countsOwnProcesses) limits.push(`--nproc=${processes}`);
  const become = account ? becomeAccount(account) : isolation.diesWithServer ? ['setpriv'] : [];
  if (become.length > 0) become.push('--no-new-privs', '--pdeathsig', 'KILL');
  return ['/bin/sh', '-c', joining(joins.length), 'sh', ...joins].concat(
    isolation.mounts ? hide(command, confinement) : [],
    become,
    limits,
    // Only the account itself may be sure to enter it.
    ['env', '-C', command.cwd, command.file, ...command.args],
  );
}

/** A shell script that joins as many groups as it has arguments for, then becomes the command after them. */
function joining(groups: number): string {
  const joins = Array.from({ length: groups }, (_, i) => `echo $$ > "$${i + 1}"`);
  return [...joins, `shift ${groups}`, 'umask 022', 'exec "$@"'].join('; ');
}

function hide(command: Command, { system, network, account, directory }: Confinement): string[] {
  const own = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--die-with-parent', '--new-session'];
  if (!network && !command.network) own.push('--unshare-net');
  return ['bwrap', ...own, '--info-fd', '3', ...system, '--bind', directory, '/tmp'].concat(
    mountsAt('--ro-bind', command.readable ?? []),
    mountsAt('--bind', command.writable ?? []),
    capabilities(account !== null),
    '--',
  );
}
