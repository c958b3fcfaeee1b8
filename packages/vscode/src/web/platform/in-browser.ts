// Whether this runs in an editor in the browser: one bundle supports both.

/** No Node.js here. */
export const IN_BROWSER: boolean =
  (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node === undefined;
