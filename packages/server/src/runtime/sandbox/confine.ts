// The command line that confines a command: it joins groups, hides files, becomes the account, sets limits, and only then
// takes the environment of content.
import { dirname } from 'node:path';
import type { Account } from './accounts.ts';
import type { Cgroup } from './cgroups.ts';
import type { Command } from './command.ts';
import { CHANNEL } from './channel.ts';
import { SECCOMP_FD } from './descriptors.ts';
import { becomeAccount, capabilities, type Isolation } from './isolation.ts';
import { mountsAt } from './mounts.ts';
import { scriptFor } from './script.ts';
import type { Tools } from './tools.ts';

export interface Confinement {
  readonly isolation: Isolation;
  readonly tools: Tools;
  /** What `systemMounts` answered. */
  readonly system: readonly string[];
  /** Bytes, and processes with threads; used where there is no control group for them. */
  readonly memory: number;
  readonly processes: number;
  /** Bytes of a file; 0 is no limit. */
  readonly fileSize: number;
  readonly network: boolean;
  readonly account: Account | null;
  /** The process' private directory. */
  readonly directory: string;
  readonly cgroup: Cgroup | null;
  /** Of its orders; null for what is not forked from. */
  readonly channel: string | null;
}

export interface Confined {
  readonly file: string;
  readonly args: readonly string[];
  /** For the standard input of the chain: what its last shell does. No step before it sees a word of content. */
  readonly script: string;
}

const MAX_FILES = 4096;

/** The chain is to be started with an empty environment. */
export function confine(command: Command, confinement: Confinement): Confined {
  const { isolation, tools, memory, processes, fileSize, account, cgroup } = confinement;
  const joins = cgroup?.joins ?? [];
  const limits: string[] = [];
  if (tools.prlimit) {
    limits.push(tools.prlimit, '--core=0', `--nofile=${MAX_FILES}`);
    if (fileSize > 0) limits.push(`--fsize=${fileSize}`);
    if (!cgroup && memory > 0) limits.push(`--${command.reserves ? 'data' : 'as'}=${memory}`);
    if (!cgroup && processes > 0 && isolation.countsOwnProcesses) limits.push(`--nproc=${processes}`);
  }
  const become: string[] = [];
  if (tools.setpriv && (account || isolation.diesWithServer)) {
    become.push(tools.setpriv, ...(account ? becomeAccount(account) : []));
    become.push('--no-new-privs', '--pdeathsig', 'KILL');
  }
  const args = ['-c', joining(joins.length), 'sh', ...joins].concat(
    isolation.mounts && tools.bwrap ? [tools.bwrap, ...hide(command, confinement)] : [],
    become,
    limits,
    [tools.sh, '-s', '--', command.cwd, command.file, ...command.args],
  );
  const inside = isolation.mounts ? '/tmp' : confinement.directory;
  const script = scriptFor(command, { inside, account, stat: tools.stat ?? '/usr/bin/stat' });
  return { file: tools.sh, args, script };
}

/** A shell script that joins as many groups as it has arguments for, then becomes the command after them. */
function joining(groups: number): string {
  const joins = Array.from({ length: groups }, (_, i) => `echo $$ > "$${i + 1}"`);
  return [...joins, `shift ${groups}`, 'umask 022', 'exec "$@"'].join('; ');
}

function hide(
  command: Command,
  { isolation, system, network, account, directory, channel }: Confinement,
): string[] {
  const own = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--die-with-parent', '--new-session'];
  if (!(command.network ?? network)) own.push('--unshare-net');
  if (isolation.filtersCalls) own.push('--seccomp', String(SECCOMP_FD));
  return [...own, ...system, '--bind', directory, '/tmp'].concat(
    mountsAt('--ro-bind', command.readable ?? []),
    mountsAt('--bind', command.writable ?? []),
    // Named pipes in it can be written all the same.
    channel === null ? [] : ['--perms', '0755', '--dir', dirname(CHANNEL), '--ro-bind', channel, CHANNEL],
    capabilities(account !== null),
    '--',
  );
}
