// Rights of root, for system packages and for tests that need them.
import { spawnSync } from 'node:child_process';

/** What a command of root begins with: nothing for root itself; null without root and without sudo that asks nothing. */
export function sudo() {
  if (process.getuid?.() === 0) return [];
  return spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n'] : null;
}
