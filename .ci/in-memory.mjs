// Keeps temporary files of a test run in memory: thousands of databases, packages and profiles are created.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

/** Memory of the machine, half of which may be used. */
const ENOUGH_BYTES = 16 * 2 ** 30;
/** Visible to one program and its children only, and removed with them. */
const MOUNT = ['--mount', 'sh', '-c', 'mount -t tmpfs -o mode=1777 tmpfs "$0" && exec "$@"'];

/** @returns command and environment of a program with temporary files in memory; unchanged if that is not permitted */
export function inMemory(command, env) {
  // Socket paths must be short.
  const directory = mkdtempSync(join(tmpdir(), 't-'));
  process.once('exit', () => rmdirSync(directory));
  const mounted = [...MOUNT, directory];
  const may = totalmem() >= ENOUGH_BYTES && spawnSync('unshare', [...mounted, 'true']).status === 0;
  return may
    ? { command: ['unshare', ...mounted, ...command], env: { ...env, TMPDIR: directory } }
    : { command, env };
}
