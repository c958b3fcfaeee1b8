// Runs a script of this repository as root: some tests start servers as root, and content as accounts of its own.
import { statSync } from 'node:fs';
import { delimiter, dirname, join, sep } from 'node:path';
import { runProgram } from './run-program.mjs';
import { sudo } from './sudo.mjs';

const ROOT = join(import.meta.dirname, '..');
/** Where the tests see the repository if accounts of content cannot reach it, such as in a home on Ubuntu. */
const OPEN = '/srv';
/** Root has its own: files of root in another account's caches would stop that account's npm. */
const OWN = /^(?:HOME|SUDO_\w+|npm_config_cache)$/;

/** Whether this account is not root, but becomes root without a password. */
export function mayBecomeRoot() {
  return process.getuid?.() !== 0 && sudo() !== null;
}

/** @returns its exit code */
export async function runAsRoot(script, args) {
  const kept = Object.keys(process.env).filter((name) => !OWN.test(name));
  const place = isOpen(ROOT) ? ROOT : OPEN;
  const at = (path) => (`${path}${sep}`.startsWith(ROOT + sep) ? place + path.slice(ROOT.length) : path);
  // sudo replaces the path.
  const path = process.env.PATH.split(delimiter).map(at).join(delimiter);
  const command = ['env', `--chdir=${place}`, `PATH=${path}`, at(process.execPath), at(script), ...args];
  const mount = [
    'unshare',
    '--mount',
    'sh',
    '-c',
    'mount --bind "$0" "$1" && shift && exec "$@"',
    ROOT,
    OPEN,
  ];
  const mounted = place === ROOT ? command : [...mount, ...command];
  const code = await runProgram('sudo', ['-n', `--preserve-env=${kept.join(',')}`, ...mounted], {
    stdio: 'inherit',
  });
  const owner = `${process.getuid()}:${process.getgid()}`;
  await runProgram('sudo', ['-n', 'chown', '--recursive', owner, ROOT]);
  return code ?? 1;
}

/** Whether every account may enter a directory and those above it. */
function isOpen(directory) {
  const mayEnter = (statSync(directory).mode & 1) !== 0;
  return mayEnter && (directory === dirname(directory) || isOpen(dirname(directory)));
}
