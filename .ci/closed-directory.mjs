// A clone in a home that only its owner enters, such as /root: other accounts see it only at another place.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';

const MAY_ENTER = 0o001;

/** Whether every account may enter a directory and those above it. */
export function othersMayEnter(directory) {
  const parent = dirname(directory);
  return (statSync(directory).mode & MAY_ENTER) !== 0 && (parent === directory || othersMayEnter(parent));
}

/** Whether this account may show a directory at another place; root in a container often may not. */
export function mayMount() {
  return spawnSync('unshare', ['--mount', 'true']).status === 0;
}
