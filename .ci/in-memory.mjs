// Temporary files of a whole test run are kept in memory: databases, packages and profiles are made by the thousand.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

/** Of the machine: half of it may be filled. */
const ENOUGH_BYTES = 16 * 2 ** 30;
/** Seen by one program and its children only, and gone with them. */
const MOUNT = ['--mount', 'sh', '-c', 'mount -t tmpfs -o mode=1777 tmpfs "$0" && exec "$@"'];

/** @returns command and environment of a program whose temporary files are in memory, or as they were where that may not be */
export function inMemory(command, env) {
  // Paths of sockets must be short.
  const directory = mkdtempSync(join(tmpdir(), 't-'));
  process.once('exit', () => rmdirSync(directory));
  const mounted = [...MOUNT, directory];
  const may = totalmem() >= ENOUGH_BYTES && spawnSync('unshare', [...mounted, 'true']).status === 0;
  return may
    ? { command: ['unshare', ...mounted, ...command], env: { ...env, TMPDIR: directory } }
    : { command, env };
}
