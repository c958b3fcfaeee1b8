// What is to be started, and what it may see: the same for every executor.

export interface Command {
  /** A name is looked up by the process itself, in its own environment. */
  readonly file: string;
  readonly args: readonly string[];
  /** Must be the process' own directory, or among the readable or writable paths. */
  readonly cwd: string;
  /** The id of the image that it runs in, where processes run in containers. */
  readonly image?: string;
  /** Beside PATH, HOME, LANG, TMPDIR and USER, which every process gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Paths outside the system's own that it may read, or change. */
  readonly readable?: readonly string[];
  readonly writable?: readonly string[];
  /** Device and inode of paths that were checked: another file that stands there by now is not the one that was. */
  readonly identities?: Readonly<Record<string, string>>;
  /** True: has the network although content may have none, for what runs no code of a publisher. False: has none at all. */
  readonly network?: boolean;
  /** Reserves far more addresses than it uses, as browsers do: what it uses is limited instead. */
  readonly reserves?: true;
  /** It will be forked from: it finds its orders in `CHANNEL`. */
  readonly prepares?: true;
}
