// The port behind which processes of content are started, limited and ended: as processes of this machine, or in containers.
import type { Account } from './accounts.ts';
import type { Command } from './command.ts';
import type { RuntimeImage } from './docker/runtime-image.ts';
import type { Isolation } from './isolation.ts';
import type { Tools } from './tools.ts';

export interface StartRequest {
  /** Names the private directory: letters and digits. */
  readonly id: string;
  /** Null: this server's own. */
  readonly account: Account | null;
  readonly command: Command;
}

/** A process that a prepared one becomes, by a fork: in the same confinement, as the same account. */
export interface ForkRequest {
  /** Names what is its own in the private directory: letters and digits. */
  readonly id: string;
  /** Of the prepared process. */
  readonly of: string;
  /** Those of the program that was prepared. */
  readonly args: readonly string[];
  /** Beside PATH, HOME, LANG, TMPDIR and USER. */
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
  /** Why nobody knows how it ended, though it did. */
  readonly lost?: string | undefined;
}

export interface Started {
  readonly pid: number;
  /** Once it and its output have ended, and its private directory is gone. */
  readonly exited: Promise<Exit>;
  /** SIGINT, then SIGTERM, then SIGKILL to all of it, with a grace after each. */
  stop(): void;
  /** Whether its output may flow, for whoever cannot take it as fast as it comes. */
  flow(flows: boolean): void;
}

/** Where processes run in containers. */
export interface Containers {
  /** What the settings name, in their order, as it was found at the start. */
  readonly images: readonly RuntimeImage[];
  /** The address at which containers with a network reach what listens on this machine for them. */
  readonly hostAddress: string;
  /** Whether they have the network of this machine itself, and so its loopback ports. */
  readonly sharesNetwork: boolean;
}

export interface Starter extends AsyncDisposable {
  readonly isolation: Isolation;
  /** Null: processes are programs of this machine. */
  readonly containers: Containers | null;
  /** Private directories of processes are in it, by their ids. */
  readonly directory: string;
  /** Where a process finds its private directory; null: where it is. */
  readonly inside: string | null;
  /** @throws when it cannot be started: there is no such image, or the engine does not answer. */
  start(request: StartRequest, onOutput: Output): Promise<Started>;
  /** Whether a command that `prepares` can be forked from. */
  readonly forks: boolean;
  /** Its private files are `id` and the socket `id.s`, in the directory of the prepared one. @throws when it does not fork. */
  fork(request: ForkRequest, onOutput: Output): Promise<Started>;
  /** Makes a tree of files that of an account; null: of this server's own again. */
  give(path: string, account: Account | null): Promise<void>;
}

export interface StarterOptions {
  readonly dataDir: string;
  /** Whether no other server uses the data directory. */
  readonly isAlone: boolean;
  readonly mode: 'auto' | 'required' | 'off';
  /** `Applications.RunAs`. */
  readonly runAs: string;
  /** Names the directory of this start: letters and digits. */
  readonly id: string;
  /** Bytes for a process and all it starts; 0 is no limit. */
  readonly memory: number;
  /** Processes and threads together; 0 is no limit. */
  readonly processes: number;
  /** Bytes that a process may add to what it can write; 0 is no limit. */
  readonly disk: number;
  /** Absolute paths that content must never see: the data directory, the settings file. */
  readonly hidden: readonly string[];
  /** Whether content may use the network. */
  readonly network: boolean;
  /** The account of the server where that is another one than this process'. */
  readonly server?: Account;
  readonly whyNotSeparated?: string | undefined;
  /** Milliseconds after each signal of a stop. */
  readonly grace?: number;
  /** The programs that confine, by default those of the system. */
  readonly tools?: Tools;
}
