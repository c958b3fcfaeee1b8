// Whether this runs in an editor in the browser: one bundle serves both, and this decides what it takes from where.

/** No Node.js here. */
export const IN_BROWSER: boolean =
  (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node === undefined;
