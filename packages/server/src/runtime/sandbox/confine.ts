// Builds the command line that confines a command: joins control groups, hides files, switches to the account, sets
// limits, and only then takes the content's environment.
import { dirname } from 'node:path';
import { isNumbered, type Account } from './accounts.ts';
import type { Cgroup } from './cgroups.ts';
import { CHANNEL } from './channel.ts';
import type { Command } from './command.ts';
import { ACCOUNTS_FD, SECCOMP_FD } from './descriptors.ts';
import { hostFiles } from './hosts.ts';
import { becomeAccount, capabilities, type Isolation } from './isolation.ts';
import { mountsAt } from './mounts.ts';
import { scriptFor, zoneOfMachine } from './script.ts';
import type { Tools } from './tools.ts';

export interface Confinement {
  readonly isolation: Isolation;
  readonly tools: Tools;
  /** Result of `systemMounts`. */
  readonly system: readonly string[];
  /** Bytes, and processes with threads; for use without a control group. */
  readonly memory: number;
  readonly processes: number;
  /** Bytes of a file; 0 for no limit. */
  readonly fileSize: number;
  readonly network: boolean;
  readonly account: Account | null;
  /** The process's private directory. */
  readonly directory: string;
  readonly cgroup: Cgroup | null;
  /** Directory of fork orders; null without. */
  readonly channel: string | null;
}

export interface Confined {
  readonly file: string;
  readonly args: readonly string[];
  /** Standard input of the chain: the script of its last shell. No earlier step sees any of the content's text. */
  readonly script: string;
}

const MAX_FILES = 4096;

/** The chain must be started with an empty environment. */
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
  const stat = tools.stat ?? '/usr/bin/stat';
  const script = scriptFor(command, { inside, account, zone: zoneOfMachine(), stat });
  return { file: tools.sh, args, script };
}

/**
 * Of all processes, the kernel ends those with the highest score first when the machine runs out of memory. By size
 * alone, it could be the server, in favour of many small processes of content.
 */
export const OOM_SCORE = 1000;
const EXPENDABLE = `{ echo ${OOM_SCORE} > /proc/self/oom_score_adj; } 2>/dev/null`;

/** A shell script that joins as many groups as it has arguments for, then executes the command after them. */
function joining(groups: number): string {
  const joins = Array.from({ length: groups }, (_, i) => `echo $$ > "$${i + 1}"`);
  return [...joins, EXPENDABLE, `shift ${groups}`, 'umask 022', 'exec "$@"'].join('; ');
}

function hide(
  command: Command,
  { isolation, system, network, account, directory, channel }: Confinement,
): string[] {
  const own = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--die-with-parent', '--new-session'];
  if (!(command.network ?? network)) own.push('--unshare-net');
  if (isolation.filtersCalls) own.push('--seccomp', String(SECCOMP_FD));
  return [...own, ...system, '--bind', directory, '/tmp'].concat(
    isNumbered(account) ? ['--perms', '0644', '--ro-bind-data', String(ACCOUNTS_FD), '/etc/passwd'] : [],
    hostFiles(command).flatMap(({ fd, path }) => ['--perms', '0644', '--ro-bind-data', String(fd), path]),
    mountsAt('--ro-bind', command.readable ?? []),
    mountsAt('--bind', command.writable ?? []),
    // Named pipes in it are writable nevertheless.
    channel === null ? [] : ['--perms', '0755', '--dir', dirname(CHANNEL), '--ro-bind', channel, CHANNEL],
    capabilities(account !== null),
    '--',
  );
}
