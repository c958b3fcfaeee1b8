// File descriptors of the confinement chain beyond the standard three; and how to reference a file without opening it.
import type { FileHandle } from 'node:fs/promises';

/** The seccomp filter read by bubblewrap. */
export const SECCOMP_FD = 3;
/** Where the last shell reports that it runs. */
export const READY_FD = 4;
/** What bubblewrap shows as `/etc/passwd` to content with an account without a name. */
export const ACCOUNTS_FD = 5;
/** What it shows as `/etc/hosts` and `/etc/nsswitch.conf` to a command that looks up certain hosts only. */
export const HOSTS_FD = 6;
export const LOOKUP_FD = 7;

/** Linux: opens only the name, not the file. Not among Node's constants. */
export const O_PATH = 0o10000000;

/** Names an open file or directory, wherever it was moved. */
export function pathOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}
