// Descriptors of the confinement chain, beside the standard three; and how to hold a file without opening it.

/** The filter of system calls that bubblewrap reads. */
export const SECCOMP_FD = 3;
/** Where the last shell says that it runs. */
export const READY_FD = 4;

/** Linux: opens the name itself, for no reading or writing. Not among node's constants. */
export const O_PATH = 0o10000000;
