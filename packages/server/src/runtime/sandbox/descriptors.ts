// Descriptors of the confinement chain, beside the standard three; and how to hold a file without opening it.

/** What bubblewrap says of the process that it started. */
export const INFO_FD = 3;
/** The filter of system calls that bubblewrap reads. */
export const SECCOMP_FD = 4;

/** Linux: opens the name itself, for no reading or writing. Not among node's constants. */
export const O_PATH = 0o10000000;
