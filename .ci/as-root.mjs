// Runs a script of this repository as root: some tests start servers as root, and content as accounts of its own.
import { join } from 'node:path';
import { runProgram } from './run-program.mjs';
import { sudo } from './sudo.mjs';

/** Whether this account is not root, but becomes root without a password. */
export function mayBecomeRoot() {
  return process.getuid?.() !== 0 && sudo() !== null;
}

/** @returns its exit code */
export async function runAsRoot(script, args) {
  const kept = `--preserve-env=${Object.keys(process.env).join(',')}`;
  // sudo replaces the path.
  const command = ['env', `PATH=${process.env.PATH}`, process.execPath, script, ...args];
  const code = await runProgram('sudo', ['-n', kept, ...command], { stdio: 'inherit' });
  const owner = `${process.getuid()}:${process.getgid()}`;
  await runProgram('sudo', ['-n', 'chown', '--recursive', owner, join(import.meta.dirname, '..')]);
  return code ?? 1;
}
