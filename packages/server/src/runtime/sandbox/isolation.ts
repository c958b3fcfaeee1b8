// Isolation of content from the server and other content: each mechanism is probed by using it, and reported.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { accountOfContent, CONTENT_ACCOUNTS, findAccount, isRoot, type Account } from './accounts.ts';
import { findCgroups, type Cgroups } from './cgroups.ts';
import { SECCOMP_FD } from './descriptors.ts';
import { systemMounts } from './mounts.ts';
import { seccompFilter } from './seccomp.ts';
import type { Tools } from './tools.ts';

export interface Isolation {
  /** The default account of content; null for the server's own. */
  readonly account: Account | null;
  /** Whether processes can have other accounts. */
  readonly switchesAccounts: boolean;
  /** Whether each content item has an unnamed account of its own, as the kernel has many limits for an account. */
  readonly ownAccounts: boolean;
  /** Whether processes get their own mount, pid and IPC namespaces. */
  readonly mounts: boolean;
  /** Whether unneeded system calls are refused. */
  readonly filtersCalls: boolean;
  readonly diesWithServer: boolean;
  /** Whether a process limit counts one process tree only, not the whole account. */
  readonly countsOwnProcesses: boolean;
  /** Version of control groups that limit process trees; null for none. */
  readonly cgroups: 1 | 2 | null;
  /** What is protected, and what is not with a remedy, for the log and the server page. */
  readonly report: readonly IsolationFinding[];
}

export interface IsolationFinding {
  readonly protected: boolean;
  readonly message: string;
}

export interface IsolationSettings {
  readonly mode: 'auto' | 'required' | 'off';
  /** `Applications.RunAs`; empty for `EACH` where that can be had, else `nobody` if this process is root. */
  readonly runAs: string;
  readonly tools: Tools;
  /** Whether requests are handled by another process and account than the confining one. */
  readonly separated: boolean;
  /** Data directory of the server; absent for a probe without effects. */
  readonly dataDir?: string;
  /** Why not, with a remedy. */
  readonly whyNotSeparated?: string | undefined;
}

type AccountSettings = Pick<IsolationSettings, 'mode' | 'runAs' | 'tools'>;

/** As `Applications.RunAs`: an account for each content item, or no start. */
export const EACH = '*';

/**
 * @throws if isolation is required but unavailable, content is to run as an account that does not exist or that this
 * server may not switch to, or root cannot switch accounts.
 */
export async function probeIsolation(
  settings: IsolationSettings,
): Promise<{ isolation: Isolation; cgroups: Cgroups | null }> {
  const { mode, runAs, tools, separated } = settings;
  const asRoot = process.getuid?.() === 0;
  if (asRoot && tools.setpriv === null) throw new Error(NO_SETPRIV);
  const off = mode === 'off';
  const account = defaultAccount(runAs, asRoot);
  const mounts = !off && tools.bwrap !== null && (await canHide(tools, account, false));
  const filtersCalls = mounts && seccompFilter() !== null && (await canHide(tools, account, true));
  const ownAccounts = await hasOwnAccounts(settings);
  const diesWithServer = await canTie(tools);
  const cgroups = off ? null : await findCgroups(settings.dataDir);
  const countsOwnProcesses = mounts && !asRoot && hasCountsByNamespace(release());
  const offWords = off ? 'Isolation.Mode is off' : null;
  const report: IsolationFinding[] = [
    finding(
      separated || !asRoot,
      separated ? SEPARATED : 'the server does not run as root',
      `requests are handled by root (${settings.whyNotSeparated ?? NO_SUPERVISOR})`,
    ),
    accountFinding(settings, { account, ownAccounts }, AS_SERVER),
    finding(
      mounts,
      'content sees its own files only: no other content, no database, no key of the server (bubblewrap)',
      `content can read ${ownAccounts ? 'what every account of this machine can' : 'the files of other content, their variables and their keys'} (${offWords ?? whyNoMounts(tools, asRoot)})`,
    ),
    finding(
      filtersCalls,
      'content cannot make system calls that it has no use for: mounts, new namespaces, tracing, kernel modules (seccomp)',
      `system calls of content are not filtered (${offWords ?? (mounts ? `there is no filter for ${process.arch}, or the kernel has no seccomp` : 'this needs bubblewrap')})`,
    ),
    finding(
      cgroups !== null || countsOwnProcesses,
      cgroups
        ? `memory and processes of content are limited (cgroup ${cgroups.version})`
        : 'processes of content are limited, and the memory of each (no control groups)',
      `memory is limited for each process, but the number of processes is not (${offWords ?? 'no control groups: let the server write to them, or set limits for the container or unit'})`,
    ),
    finding(
      diesWithServer,
      `processes end with the server${mounts ? '' : ', but not those they start'}`,
      'processes of content may outlive the server (setpriv is missing: apt-get install util-linux)',
    ),
  ];
  requireAll(mode, report);
  const isolation: Isolation = {
    account,
    switchesAccounts: asRoot,
    ownAccounts,
    mounts,
    filtersCalls,
    diesWithServer,
    countsOwnProcesses,
    cgroups: cgroups?.version ?? null,
    report,
  };
  return { isolation, cgroups };
}

export const SEPARATED = 'requests are handled by an account of their own; only a small supervisor is root';
const NO_SUPERVISOR = 'the server was started without its supervisor: start it with npm run serve';
const AS_ROOT =
  'content runs as root (there is no account nobody: create it, or name another in Applications.RunAs)';
const AS_SERVER =
  'content runs as the account of the server, and can do what that may (start the server as root, which keeps root in a small supervisor only)';

const NO_SETPRIV = 'content would run as root: setpriv is missing (apt-get install util-linux)';
const NEEDS = 'needs a server started by root, and accounts beyond the first 65,536';

/** @throws if isolation is required and anything is missing. */
export function requireAll(mode: IsolationSettings['mode'], report: readonly IsolationFinding[]): void {
  const lacking = report.filter((item) => !item.protected).map((item) => item.message);
  if (mode === 'required' && lacking.length > 0)
    throw new Error(`Isolation.Mode is required, but: ${lacking.join('; ')}`);
}

/**
 * Whether each content item gets an account of its own. @throws if the settings require that, and it cannot be had
 */
export async function hasOwnAccounts({ mode, runAs, tools }: AccountSettings): Promise<boolean> {
  const hasNumbers = process.getuid?.() === 0 && (await hasManyAccounts(tools));
  if (runAs === EACH && !hasNumbers) throw new Error(`Applications.RunAs is ${EACH}, which ${NEEDS}`);
  return hasNumbers && (runAs === EACH || (mode !== 'off' && runAs === ''));
}

/** @param asServer the message if content runs as the account of a server that is not root */
export function accountFinding(
  { mode, runAs }: Pick<AccountSettings, 'mode' | 'runAs'>,
  { account, ownAccounts }: Pick<Isolation, 'account' | 'ownAccounts'>,
  asServer: string,
): IsolationFinding {
  const all = runAs === '' && mode !== 'off' ? `, all of it (an account for each content item ${NEEDS})` : '';
  return finding(
    account !== null || ownAccounts,
    ownAccounts
      ? `each content item runs as an account of its own, from ${CONTENT_ACCOUNTS.first} to ${CONTENT_ACCOUNTS.last}`
      : `content runs as ${account?.name}${all}`,
    process.getuid?.() === 0 ? AS_ROOT : asServer,
  );
}

/** Some containers have only about 65,000 accounts. */
function hasManyAccounts({ setpriv }: Tools): Promise<boolean> {
  const { uid, gid } = accountOfContent('');
  return setpriv === null
    ? Promise.resolve(false)
    : tryOnce(['accounts', setpriv], () =>
        works(setpriv, [...becomeAccount({ name: '', uid, gid }), '/bin/true']),
      );
}

/** 1 on Ubuntu from 23.10: programs that root does not run get no user namespaces without a profile. */
const APPARMOR_RESTRICTION = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns';

export function whyNoMounts(
  { bwrap }: Pick<Tools, 'bwrap'>,
  asRoot: boolean,
  restriction = APPARMOR_RESTRICTION,
): string {
  if (bwrap === null) return 'bubblewrap is missing: apt-get install bubblewrap';
  if (!asRoot && existsSync(restriction) && readFileSync(restriction, 'utf8').trim() === '1')
    return 'AppArmor refuses bubblewrap namespaces here: start the server as root, or set kernel.apparmor_restrict_unprivileged_userns to 0 with sysctl';
  return 'bubblewrap may not create namespaces here: allow user namespaces, or give the container SYS_ADMIN';
}

/** Since Linux 5.14, processes are counted per user namespace; bubblewrap creates one unless root runs it. */
function hasCountsByNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

export function finding(protects: boolean, yes: string, no: string): IsolationFinding {
  return { protected: protects, message: protects ? yes : no };
}

/** The default account of content; null for this process's own. @throws for an unsuitable one */
export function defaultAccount(runAs: string, asRoot: boolean): Account | null {
  const isUnnamed = runAs === '' || runAs === EACH;
  const account = findAccount(isUnnamed ? 'nobody' : runAs);
  if (isUnnamed) return asRoot ? account : null;
  if (!account) throw new Error(`Applications.RunAs names the account ${runAs}, which does not exist`);
  if (account.uid === process.getuid?.()) {
    if (isRoot(account)) throw new Error(`Applications.RunAs is ${runAs}, which is root`);
    return null;
  }
  if (!asRoot)
    throw new Error(`Applications.RunAs is ${runAs}, but only a server started by root can switch accounts`);
  if (isRoot(account)) throw new Error(`Applications.RunAs is ${runAs}, which is root`);
  return account;
}

/** Capabilities that a process keeps until it switches accounts. */
export function capabilities(switches: boolean): string[] {
  return ['--cap-drop', 'ALL', ...(switches ? ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'] : [])];
}

/** Arguments of setpriv. */
export function becomeAccount({ uid, gid }: Account): string[] {
  return ['--reuid', String(uid), '--regid', String(gid), '--clear-groups', '--inh-caps=-all'];
}

/** Results of probes in this process: they do not change meanwhile. */
const tried = new Map<string, Promise<boolean>>();

function tryOnce(key: readonly unknown[], attempt: () => Promise<boolean>): Promise<boolean> {
  const name = JSON.stringify(key);
  const outcome = tried.get(name) ?? attempt();
  tried.set(name, outcome);
  return outcome;
}

/** Whether files and other processes can be hidden from a process, with or without the system call filter. */
function canHide(tools: Tools, account: Account | null, filtered: boolean): Promise<boolean> {
  return tryOnce(['hide', tools, account, filtered], () => tryToHide(tools, account, filtered));
}

/** Whether a process can be made to end with its parent. */
function canTie({ setpriv }: Tools): Promise<boolean> {
  if (setpriv === null) return Promise.resolve(false);
  return tryOnce(['tie', setpriv], () => works(setpriv, ['--pdeathsig', 'KILL', '/bin/true']));
}

async function tryToHide(tools: Tools, account: Account | null, filtered: boolean): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-probe-'));
  try {
    const secret = join(directory, 'secret');
    await writeFile(secret, '');
    const check = 'test ! -e "$1" && test "$(ls /proc | grep -c "^[0-9]")" -lt 8';
    const own = ['--unshare-pid', '--unshare-ipc', '--die-with-parent', '--new-session'];
    if (filtered) own.push('--seccomp', String(SECCOMP_FD));
    const become = account && tools.setpriv ? [tools.setpriv, ...becomeAccount(account)] : [];
    const args = [...own, ...(await systemMounts()), ...capabilities(account !== null), '--', ...become];
    return await works(tools.bwrap!, [...args, tools.sh, '-c', check, 'sh', secret], filtered);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** A probe killed by the system or its timeout is repeated: a busy machine says nothing about what it allows. */
async function works(file: string, args: readonly string[], filtered = false): Promise<boolean> {
  return ((await exitCode(file, args, filtered)) ?? (await exitCode(file, args, filtered))) === 0;
}

/** Null if it was killed; -1 if it could not be started. */
async function exitCode(file: string, args: readonly string[], filtered: boolean): Promise<number | null> {
  const child = spawn(file, args, {
    stdio: ['ignore', 'ignore', 'ignore', filtered ? 'pipe' : 'ignore'],
    // For tools that look up others by name.
    env: { PATH: '/usr/bin:/bin' },
    timeout: 10_000,
  });
  if (filtered) giveFilter(child.stdio[SECCOMP_FD] as Writable);
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  } catch {
    return -1;
  }
}

/** Passes the system call filter to bubblewrap. */
export function giveFilter(to: Writable): void {
  to.on('error', () => undefined).end(seccompFilter());
}
