// Starts processes of content for the rest of the server: chooses accounts, splits output into lines, describes how
// they ended.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, errors } from '@pressroom/api/contract';
import type { Ids } from '../../platform/clock.ts';
import type { CrashCode } from '../../platform/database/schema.ts';
import { messageOf } from '../../platform/errors.ts';
import { accountOfContent, findAccount, isRoot, type Account } from './accounts.ts';
import type { Command } from './command.ts';
import type { Isolation } from './isolation.ts';
import { createLineSplitter } from './lines.ts';
import { removeTree } from './remove-tree.ts';
import type { Containers, Exit, Output, Started, Starter } from './starter.ts';

/** File name of a process's socket. */
const SOCKET = 's';

export interface LaunchOptions {
  /** Account to run as; null for the default of content. */
  readonly runAs: string | null;
  /** The content item it belongs to, or a unique name of shared work, such as an installation of packages. */
  readonly content?: string;
  readonly onLine: (line: string) => void;
  /** @param directory private and writable, as the process sees it: for temporary files. @param socket to listen on */
  readonly command: (directory: string, socket: string) => Command;
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly outOfMemory: boolean;
  /** What ran it does not respond: how it ended is unknown. */
  readonly isLost: boolean;
  /** "ended with code 1", "was killed by SIGSEGV", "ran out of memory (limit 512 MiB)", "was lost: ...". */
  readonly message: string;
  /** The same for programs; not if it was lost or could not be started. */
  readonly why?: { readonly code: CrashCode; readonly detail: string };
}

export interface ForkOptions {
  /** The prepared process, launched for the same content item and account. */
  readonly from: Launched;
  readonly onLine: (line: string) => void;
  /** The order for the prepared program. @param directory as for `command` @param socket to listen on */
  readonly order: (
    directory: string,
    socket: string,
  ) => { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
}

export interface Launched {
  /** Unique among all processes. */
  readonly id: string;
  /** The private directory as this server sees it; removed with the process. */
  readonly directory: string;
  /** Path for its socket, as this server sees it. */
  readonly socket: string;
  /** Uid of its account. */
  readonly uid: number;
  readonly pid: number;
  /** Settles after it and its output have ended. */
  readonly ended: Promise<Ending>;
  /** Sends SIGINT, SIGTERM and SIGKILL to all of it, some seconds apart. */
  stop(): Promise<Ending>;
}

export interface Launcher {
  readonly isolation: Isolation;
  /** Null if processes are programs of this machine. */
  readonly containers: Containers | null;
  launch(options: LaunchOptions): Promise<Launched>;
  /** Whether a command that `prepares` can be forked from. */
  readonly forks: boolean;
  /** @throws if it does not fork, or the prepared process has ended. */
  fork(options: ForkOptions): Promise<Launched>;
  /**
   * Runs a command until it ends. @throws ApiError if it cannot be started; the signal's reason when it is aborted: then
   * the process is stopped.
   */
  run(options: LaunchOptions & { signal: AbortSignal }): Promise<Ending>;
  /** Gives a file tree to the account of content. @throws ApiError 57 */
  give(path: string, runAs: string | null, content?: string): Promise<void>;
  /** Takes it back, so that this server may read and remove it. */
  takeBack(path: string): Promise<void>;
  /** Implements `Starter.removeLeftovers`. */
  removeLeftovers(): Promise<void>;
  /** Removes a tree of either owner, if it exists. */
  remove(path: string, signal?: AbortSignal): Promise<void>;
}

export interface LauncherOptions {
  readonly starter: Starter;
  readonly ids: Ids;
  /** Limits named by `ending.message`: bytes of memory for a process tree, and bytes it may write. */
  readonly memory: number;
  readonly disk: number;
}

export function createLauncher({ starter, ids, memory, disk }: LauncherOptions): Launcher {
  const { isolation } = starter;

  /** Null for this server's own. @throws ApiError 57 */
  function accountFor(runAs: string | null, content?: string): Account | null {
    if (runAs === null)
      return isolation.ownAccounts && content !== undefined ? accountOfContent(content) : isolation.account;
    const account = findAccount(runAs);
    if (!account) throw errors.invalidRunAs({ message: `there is no account ${runAs} on this server` });
    if (isRoot(account)) throw errors.runAsProhibited({ message: 'content never runs as root' });
    if (isolation.switchesAccounts) return account;
    if (account.uid === process.getuid?.()) return null;
    throw errors.invalidRunAs({
      message: `this server cannot run content as ${runAs}: it was not started by root`,
    });
  }

  async function launch({ runAs, content, onLine, command: commandFor }: LaunchOptions): Promise<Launched> {
    const account = accountFor(runAs, content);
    const id = ids.taskId();
    const directory = join(starter.directory, id);
    const inside = starter.inside ?? directory;
    const command = commandFor(inside, `${inside}/${SOCKET}`);
    const start = (onOutput: Output) => starter.start({ id, account, command }, onOutput);
    const uid = account?.uid ?? process.getuid?.() ?? 0;
    return follow(start, onLine, { id, directory, socket: join(directory, SOCKET), uid });
  }

  async function fork({ from, onLine, order }: ForkOptions): Promise<Launched> {
    const id = ids.taskId();
    const { directory, uid } = from;
    const inside = starter.inside ?? directory;
    // Next to its private directory, which content could replace by a link.
    const socket = `${id}.${SOCKET}`;
    const request = { id, of: from.id, ...order(`${inside}/${id}`, `${inside}/${socket}`) };
    const start = (onOutput: Output) => starter.fork(request, onOutput);
    return follow(start, onLine, { id, directory, socket: join(directory, socket), uid });
  }

  async function follow(
    start: (onOutput: Output) => Promise<Started>,
    onLine: (line: string) => void,
    known: Pick<Launched, 'id' | 'directory' | 'socket' | 'uid'>,
  ): Promise<Launched> {
    const splitters = { stdout: createLineSplitter(onLine), stderr: createLineSplitter(onLine) };
    const started = await start((chunk, from) => splitters[from].write(chunk));
    const ended = started.exited.then((exit) => {
      splitters.stdout.end();
      splitters.stderr.end();
      return describe(exit, memory, disk);
    });
    return {
      ...known,
      pid: started.pid,
      ended,
      async stop() {
        started.stop();
        return ended;
      },
    };
  }

  return {
    isolation,
    containers: starter.containers,
    launch,
    forks: starter.forks,
    fork,
    async run({ signal, ...rest }) {
      signal.throwIfAborted();
      const launched = await launch(rest).catch((cause: unknown) => {
        if (cause instanceof ApiError) throw cause;
        throw errors.internal({ message: `a process could not be started: ${messageOf(cause)}`, cause });
      });
      const onAbort = () => void launched.stop();
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      const ending = await launched.ended;
      signal.removeEventListener('abort', onAbort);
      signal.throwIfAborted();
      return ending;
    },
    async give(path, runAs, content) {
      const account = accountFor(runAs, content);
      if (!account) return;
      const { uid, gid } = await stat(path);
      // Closed files are open to the server as their group, which may have another number on this machine.
      const isServers = !isolation.ownAccounts || gid === process.getgid?.();
      if (uid !== account.uid || !isServers) await starter.give(path, account);
    },
    takeBack: (path) => starter.give(path, null),
    removeLeftovers: () => starter.removeLeftovers(),
    async remove(path, signal) {
      await removeTree(path, signal).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
        await starter.give(path, null);
        await removeTree(path, signal);
      });
    },
  };
}

function describe(
  { code, signal, outOfMemory, overDisk, error, lost }: Exit,
  memory: number,
  disk: number,
): Ending {
  const ending = { code, signal, outOfMemory, isLost: lost !== undefined };
  const is = (message: string, why: CrashCode, detail: string): Ending => ({
    ...ending,
    message,
    why: { code: why, detail },
  });
  const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
  const [memoryLimit, diskLimit] = [mebibytes(memory), mebibytes(disk)];
  if (outOfMemory) return is(`ran out of memory (limit ${memoryLimit})`, 'out_of_memory', memoryLimit);
  if (overDisk) return is(`wrote more than it may (limit ${diskLimit})`, 'over_disk', diskLimit);
  if (lost) return { ...ending, message: `was lost: ${lost}` };
  if (error) return { ...ending, message: `could not be started: ${error}` };
  if (signal !== null) return is(`was killed by ${signal}`, 'killed', signal);
  return is(`ended with code ${code}`, 'exited', String(code));
}
