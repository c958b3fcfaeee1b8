// Runs a script of this repository as root: some tests start servers as root, and content as accounts of its own.
import { delimiter, join, sep } from 'node:path';
import { mayMount, othersMayEnter } from './closed-directory.mjs';
import { runProgram } from './run-program.mjs';
import { sudo } from './sudo.mjs';

const ROOT = join(import.meta.dirname, '..');
/** Where the tests see the repository if accounts of content cannot reach it, such as in /root or a home on Ubuntu. */
const OPEN = '/srv';
/** Root has its own: files of root in another account's caches would stop that account's npm. */
const OWN = /^(?:HOME|SUDO_\w+|npm_config_cache)$/;

/** Whether runAsRoot helps: this account becomes root without a password, or is root in a clone that others cannot reach. */
export function shouldRunAsRoot() {
  if (process.getuid?.() !== 0) return sudo() !== null;
  return ROOT !== OPEN && !othersMayEnter(ROOT) && mayMount();
}

/** @returns its exit code */
export async function runAsRoot(script, args) {
  const kept = Object.keys(process.env).filter((name) => !OWN.test(name));
  const place = othersMayEnter(ROOT) ? ROOT : OPEN;
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
  const becomeRoot = sudo();
  const preserve = becomeRoot.length > 0 ? [`--preserve-env=${kept.join(',')}`] : [];
  const [program, ...rest] = [...becomeRoot, ...preserve, ...mounted];
  const code = await runProgram(program, rest, { stdio: 'inherit' });
  if (becomeRoot.length > 0) {
    const owner = `${process.getuid()}:${process.getgid()}`;
    await runProgram('sudo', ['-n', 'chown', '--recursive', owner, ROOT]);
  }
  return code ?? 1;
}
