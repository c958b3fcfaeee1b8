// Started by root, this process stays root as a small supervisor, and another one with an account of its own serves.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { mayRunAs } from '../content/rules.ts';
import { systemIds } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import { makeDataDirectory } from '../platform/make-data-directory.ts';
import { partsOfInstallation } from '../runtime/installations.ts';
import { findAccount, isRoot, type Account } from '../runtime/sandbox/accounts.ts';
import { createStarter } from '../runtime/sandbox/create-starter.ts';
import { HELPERS } from '../runtime/sandbox/helpers.ts';
import { supervisorSocket } from '../runtime/sandbox/run-directory.ts';
import { createSupervisor } from '../runtime/sandbox/supervisor/supervisor.ts';
import { findTool } from '../runtime/sandbox/tools.ts';
import { createPamHelper } from '../sign-in/providers/pam/helper-process.ts';
import { listOf } from './config/setting-kinds.ts';
import type { Config } from './config/settings.ts';
import { PARENT_FD, processNumber } from './one-of-several.ts';
import { requireCapabilities } from './require-capabilities.ts';
import { starterOptions } from './starter-options.ts';
import { exitCodeOf, STOP_SIGNALS } from './stop-signals.ts';

/** Passed to the serving process through its fourth file descriptor. */
export interface Handover {
  readonly config: Config;
  readonly settingsFile: string | null;
  /** Path of the supervisor's socket. */
  readonly supervisor: string;
}

export const HANDOVER_FD = 3;
/** Set for the serving process. */
export const SERVING = 'PRESSROOM_SERVING';

interface Plan {
  readonly account: Account;
  readonly setpriv: string;
  /** Directories that the account cannot reach, to be made visible by bind mounts. */
  readonly mounts: readonly string[];
}

/**
 * Supervises until the serving process exits, and returns its exit code; or returns why that is impossible here: then
 * the server runs in this process.
 */
export async function separate(
  script: string,
  config: Config,
  settingsFile: string | undefined,
): Promise<{ exitCode: number } | { whyNot: string }> {
  requireCapabilities();
  const dataDir = resolve(config['Server.DataDir']);
  const plan = planFor(config, dataDir, script);
  if ('whyNot' in plan) return plan;
  const { account } = plan;
  ownDataDirectory(dataDir, account);
  // Of root alone, as libpam-tmpdir makes one: the account and content need one that they can enter.
  if (!canReach(account, join(tmpdir(), 'sockets'))) process.env.TMPDIR = '/tmp';
  await using starter = await createStarter({
    ...starterOptions(config, settingsFile, systemIds()),
    isAlone: config['Database.URL'] === '',
    server: account,
    onEngine: ({ level, message }) => createLog(config['Log.Level'])[level](message),
  });
  // Only root and the account have access; removed with the directory of the processes.
  const socket = supervisorSocket(starter.directory);
  const control = dirname(socket);
  mkdirSync(control, { mode: 0o700 });
  const pam = config['Authentication.Provider'] === 'pam' ? createPamHelper(config['PAM.Service']) : null;
  const server = createSupervisor({
    starter,
    server: account,
    mayRunAs: (candidate) => mayRunAs(candidate, config),
    owned: ['content', 'work', 'environments'].map((name) => join(realpathSync(dataDir), name)),
    shown: shownPaths(config),
    pam: pam && ((username, password) => pam.authenticate(username, password)),
  });
  try {
    await once(server.listen(socket), 'listening');
    chownSync(socket, account.uid, account.gid);
    chownSync(control, 0, account.gid);
    chmodSync(control, 0o710);
    const child = startServing(plan, script, {
      config,
      settingsFile: settingsFile ?? null,
      supervisor: socket,
    });
    return { exitCode: await untilEnded(child) };
  } finally {
    server.close();
    await pam?.[Symbol.asyncDispose]();
  }
}

function planFor(config: Config, dataDir: string, script: string): Plan | { whyNot: string } {
  const name = config['Server.Account'];
  if (name === '') return { whyNot: 'Server.Account is empty: name an account' };
  const setpriv = findTool('setpriv');
  if (!setpriv) return { whyNot: 'setpriv is missing: apt-get install util-linux' };
  const account = findAccount(name) ?? makeAccount(name);
  if (!account)
    return { whyNot: `there is no account ${name}: useradd --system --shell /usr/sbin/nologin ${name}` };
  if (isRoot(account)) return { whyNot: `Server.Account is ${name}, which is root` };
  makeDataDirectory(dataDir);
  const code = codeDirectory(script);
  // Packages may be below a directory that others cannot enter.
  const needed = [dataDir, canReach(account, code) ? dirname(script) : code, dirname(process.execPath)];
  const hidden = needed.filter((path) => !canReach(account, path));
  if (hidden.length > 0 && !canMount())
    return {
      whyNot: `the account ${name} cannot enter ${hidden[0]}: move it to where everybody may pass, such as /opt or /var/lib`,
    };
  return { account, setpriv, mounts: hidden };
}

function makeAccount(name: string): Account | null {
  const useradd = findTool('useradd');
  if (!useradd) return null;
  const options = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent'];
  spawnSync(useradd, [...options, '--shell', '/usr/sbin/nologin', name], { env: {}, stdio: 'ignore' });
  return findAccount(name);
}

/**
 * The directory of the code and its packages: the one with our packages in node_modules, as a package within a workspace
 * may have some of its own; else with any, else the script's.
 */
function codeDirectory(script: string): string {
  const above: string[] = [];
  for (let at = dirname(script); at !== '/'; at = dirname(at)) above.push(at);
  const having = (name: string) => above.find((at) => existsSync(join(at, name)));
  return having('node_modules/@pressroom') ?? having('node_modules') ?? dirname(script);
}

/** Whether the account may enter all directories above a path. */
function canReach({ uid, gid }: Account, path: string): boolean {
  for (let at = dirname(path); ; at = dirname(at)) {
    const stat = statSync(at);
    const bit = stat.uid === uid ? 0o100 : stat.gid === gid ? 0o010 : 0o001;
    if ((stat.mode & bit) === 0) return false;
    if (at === '/') return true;
  }
}

function canMount(): boolean {
  const unshare = findTool('unshare');
  return unshare !== null && spawnSync(unshare, ['--mount', '/bin/true'], { env: {} }).status === 0;
}

/**
 * Files of root and of the previous owner become the server's: an older version served as root. Files of content stay.
 */
function ownDataDirectory(dataDir: string, account: Account): void {
  const before = statSync(dataDir);
  if (before.uid !== account.uid) {
    const give = (where: readonly string[], to: string) => {
      const args = [...where, '-execdir', '/bin/chown', '-h', to, '{}', '+'];
      const run = spawnSync(findTool('find') ?? '/usr/bin/find', args, {
        env: { PATH: '/usr/bin:/bin' },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      // Another process of this server may be done with it, and at work in it.
      if (run.status !== 0 && statSync(dataDir).uid !== account.uid)
        throw new Error(`cannot give ${dataDir} to the account ${account.name}`);
    };
    const contents = join(dataDir, 'content');
    // Directories of content are open to the server as their group.
    const closed = ['-mindepth', '2', '-maxdepth', '2', '-type', 'd', '-gid', String(before.gid)];
    if (existsSync(contents)) give([contents, '-xdev', ...closed], `:${account.gid}`);
    const owners = ['(', '-uid', '0', '-o', '-uid', String(before.uid), ')'];
    // A file with several hard links may belong to anybody.
    const single = ['(', '-type', 'd', '-o', '-links', '1', ')'];
    // The data directory is last: a start that is killed before does it again.
    give([dataDir, '-xdev', '-depth', ...owners, ...single], `${account.uid}:${account.gid}`);
    chownSync(dataDir, account.uid, account.gid);
  }
  // Tools that root used beside the server may have left files. Those with several links are not from here.
  for (const name of readdirSync(dataDir)) {
    const path = join(dataDir, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() && stat.uid === 0 && stat.nlink === 1) lchownSync(path, account.uid, account.gid);
  }
}

/** Paths that content can read besides its own files: helpers of runtimes, packages in settings. */
function shownPaths(config: Config): string[] {
  const places = [
    // Screenshots are taken by a script of ours.
    process.execPath,
    config['TensorFlow.Server'],
    ...listOf(config['Python.FindLinks']),
    ...listOf(config['Python.Index']),
    ...listOf(config['R.Repository']),
    config['Python.Uv'],
    ...[
      ...listOf(config['R.Executable']),
      ...listOf(config['Python.Executable']),
      config['Quarto.Executable'],
    ].flatMap(partsOfInstallation),
  ];
  const local = places
    .map((place) => place.replace(/^file:\/\//, ''))
    .filter((place) => place.startsWith('/'));
  return [HELPERS, ...local].filter((place) => existsSync(place)).map((place) => realpathSync(place));
}

function startServing({ account, setpriv, mounts }: Plan, script: string, handover: Handover): ChildProcess {
  const port = Number(/\d+$/.exec(handover.config['HTTP.Listen'])?.[0]);
  const low = port > 0 && port < 1024;
  const capability = low
    ? ['--inh-caps=-all,+net_bind_service', '--ambient-caps=+net_bind_service']
    : ['--inh-caps=-all'];
  const become = [
    setpriv,
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    ...capability,
  ];
  const serve = [
    ...become,
    '--no-new-privs',
    '--pdeathsig',
    'KILL',
    process.execPath,
    ...process.execArgv,
    script,
  ];
  const hold = `${dirname(handover.supervisor)}/mounts`;
  const [file, ...args] = mounts.length > 0 ? [...showing(mounts, hold), ...serve] : serve;
  const child = spawn(file!, args, {
    // Signals come to this process, which passes them on once.
    detached: true,
    stdio: ['inherit', 'inherit', 'inherit', 'pipe', ...(processNumber() === null ? [] : [PARENT_FD])],
    env: { ...process.env, HOME: handover.config['Server.DataDir'], USER: account.name, [SERVING]: '1' },
  });
  (child.stdio[HANDOVER_FD] as Writable).on('error', () => undefined).end(JSON.stringify(handover));
  return child;
}

/**
 * Makes paths below inaccessible directories visible: each such directory is replaced by an empty open one with the
 * path at its place, for this process and its children. Arguments: a temporary directory, the number of paths, the
 * paths, then the command to execute.
 */
const SHOW = `set -e
hold=$1; count=$2; shift 2; mount -t tmpfs tmpfs "$hold"; i=0
for path in "$@"; do
  i=$((i + 1)); [ $i -le $count ] || break
  mkdir "$hold/$i"; mount --bind "$path" "$hold/$i"
done
i=0
while [ $i -lt $count ]; do
  i=$((i + 1)); path=$1; shift; closed=; at=$(dirname "$path")
  while [ "$at" != / ]; do
    # What is not there is below a directory that was replaced for an earlier path.
    [ ! -e "$at" ] || case $(stat -c %A "$at") in *x | *t) ;; *) closed=$at ;; esac
    at=$(dirname "$at")
  done
  [ -z "$closed" ] || mount -t tmpfs -o mode=755 tmpfs "$closed"
  mkdir -p "$path"; mount --bind "$hold/$i" "$path"
done
exec "$@"`;

function showing(paths: readonly string[], hold: string): string[] {
  mkdirSync(hold);
  const unshare = [findTool('unshare') ?? '/usr/bin/unshare', '--mount'];
  return [...unshare, '/bin/sh', '-c', SHOW, 'sh', hold, String(paths.length), ...paths];
}

/** Passes on stop signals. */
async function untilEnded(child: ChildProcess): Promise<number> {
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of STOP_SIGNALS) process.on(signal, pass);
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  for (const name of STOP_SIGNALS) process.off(name, pass);
  return exitCodeOf(code, signal);
}

/** Reads what the supervisor passed to this process. */
export async function readHandover(stream: Readable): Promise<Handover> {
  return (await json(stream)) as Handover;
}
