// A command to start and what it may see: the same for every executor.

export interface Command {
  /** A name is looked up by the process itself, in its own environment. */
  readonly file: string;
  readonly args: readonly string[];
  /** Must be the process's own directory, or among the readable or writable paths. */
  readonly cwd: string;
  /** Id of its image, if processes run in containers. */
  readonly image?: string;
  /** In addition to PATH, HOME, LANG, TZ, TMPDIR and USER, which every process gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Paths beyond the system's own that it may read, or change. */
  readonly readable?: readonly string[];
  readonly writable?: readonly string[];
  /** Device and inode of checked paths: a file that was replaced since is refused. */
  readonly identities?: Readonly<Record<string, string>>;
  /**
   * True: has network although content may have none, for programs that run no publisher's code. False: has none at
   * all.
   */
  readonly network?: boolean;
  /**
   * IP addresses of the only host names it can look up, where files can be hidden on this machine: then its
   * `nsswitch.conf` is `HOSTS_ONLY`.
   */
  readonly hosts?: Readonly<Record<string, readonly string[]>>;
  /** Reserves far more address space than it uses, as browsers do: its memory usage is limited instead. */
  readonly reserves?: true;
  /** Will be forked from: it gets its orders in `CHANNEL`. */
  readonly prepares?: true;
}
