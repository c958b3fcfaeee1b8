// The executor port: starts, limits and ends processes of content, as processes of this machine or in containers.
import type { Account } from './accounts.ts';
import type { Command } from './command.ts';
import type { RuntimeImage } from './docker/runtime-image.ts';
import type { Isolation } from './isolation.ts';
import type { Tools } from './tools.ts';

export interface StartRequest {
  /** Name of the private directory: letters and digits. */
  readonly id: string;
  /** Null for this server's own. */
  readonly account: Account | null;
  readonly command: Command;
}

/** A process forked from a prepared one: same confinement, same account. */
export interface ForkRequest {
  /** Name of its files in the private directory: letters and digits. */
  readonly id: string;
  /** Id of the prepared process. */
  readonly of: string;
  /** Arguments of the prepared program. */
  readonly args: readonly string[];
  /** In addition to PATH, HOME, LANG, TZ, TMPDIR and USER. */
  readonly env: Readonly<Record<string, string>>;
}

export type Output = (chunk: Buffer, from: 'stdout' | 'stderr') => void;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly outOfMemory: boolean;
  readonly overDisk: boolean;
  /** Why it could not be started. */
  readonly error?: string | undefined;
  /** Why it is unknown how it ended. */
  readonly lost?: string | undefined;
}

export interface Started {
  readonly pid: number;
  /** Settles after it and its output have ended, and its private directory is removed. */
  readonly exited: Promise<Exit>;
  /** Sends SIGINT, SIGTERM and SIGKILL to all of it, with a pause after each. */
  stop(): void;
  /** Pauses or resumes its output, for slow receivers. */
  flow(flows: boolean): void;
}

/** Present if processes run in containers. */
export interface Containers {
  /** The configured images, in order, as probed at the start. */
  readonly images: readonly RuntimeImage[];
  /** This server's address for containers with a network. */
  readonly hostAddress: string;
  /** Whether they share the host's network, including its loopback ports. */
  readonly sharesNetwork: boolean;
  /** Whether the engine responds, as far as requests to it showed. */
  responds(): Promise<boolean>;
}

export interface Starter extends AsyncDisposable {
  readonly isolation: Isolation;
  /** Null if processes are programs of this machine. */
  readonly containers: Containers | null;
  /** Parent of private directories, which are named by id. */
  readonly directory: string;
  /** The private directory as a process sees it; null if at the same path. */
  readonly inside: string | null;
  /** @throws if it cannot be started: there is no such image, or the engine does not respond. */
  start(request: StartRequest, onOutput: Output): Promise<Started>;
  /** Whether a command that `prepares` can be forked from. */
  readonly forks: boolean;
  /**
   * Its private files are `id` and the socket `id.s`, in the directory of the prepared process. @throws if it does not
   * fork.
   */
  fork(request: ForkRequest, onOutput: Output): Promise<Started>;
  /** Gives a file tree to an account; null takes it back. */
  give(path: string, account: Account | null): Promise<void>;
  /**
   * Removes what killed servers of the same data directory had left when this starter was created. Only for a server
   * that has found out since that no other uses the directory.
   */
  removeLeftovers(): Promise<void>;
}

export interface StarterOptions {
  readonly dataDir: string;
  /** Whether it is known that no other server uses the data directory: then leftovers are removed at once. */
  readonly isAlone: boolean;
  readonly mode: 'auto' | 'required' | 'off';
  /** `Applications.RunAs`. */
  readonly runAs: string;
  /** Name of the directory of this start: letters and digits. */
  readonly id: string;
  /** Bytes of memory for a process tree; 0 for no limit. */
  readonly memory: number;
  /** Processes and threads together; 0 for no limit. */
  readonly processes: number;
  /** Bytes that a process may write in addition; 0 for no limit. */
  readonly disk: number;
  /** Absolute paths that content must never see: the data directory, the settings file. */
  readonly hidden: readonly string[];
  /** Whether content may use the network. */
  readonly network: boolean;
  /** The serving account, if it differs from this process's. */
  readonly server?: Account;
  readonly whyNotSeparated?: string | undefined;
  /** Milliseconds after each signal of a stop. */
  readonly grace?: number;
  /** The confining programs, by default the system's. */
  readonly tools?: Tools;
}
