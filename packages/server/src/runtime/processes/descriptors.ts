// Descriptors of the confinement chain, beside the standard three.

/** What bubblewrap says of the process that it started. */
export const INFO_FD = 3;
/** The filter of system calls that bubblewrap reads. */
export const SECCOMP_FD = 4;
