// Installs the npm packages of the repository, unless they match this lockfile already.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './run-program.mjs';

export const root = join(import.meta.dirname, '..');
const stamp = join(root, 'node_modules', '.pressroom-installed');
const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);
const RUNTIME = 'without what is for development';

/**
 * Exits if they cannot be installed.
 * @param whole false: only what a server needs, a fifth of the size, unless tools for development are there
 */
export async function installDependencies(needed) {
  const whole = needed.whole || existsSync(join(root, 'node_modules', 'typescript'));
  const lockfile = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const runtime = `${lockfile} ${RUNTIME}`;
  const there = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
  if (there === lockfile || (!whole && there === runtime)) return;
  console.log('Installing npm packages …');
  // A running server may use what is installed: the rest is added, nothing removed.
  const how = there === runtime ? ['install', '--no-save'] : ['ci', ...(whole ? [] : ['--omit=dev'])];
  const args = [...how, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  let code = await runProgram('npm', args, { cwd: root, stdio: 'inherit' });
  // Only the install scripts that package.json allows, as newer npm does by itself: native parts of others are built for
  // the Node that runs npm, and end a server that runs on another one.
  const withScripts = allowed.filter((name) => existsSync(join(root, 'node_modules', name)));
  code ||= await runProgram('npm', ['rebuild', '--loglevel=error', ...withScripts], { cwd: root });
  if (code !== 0) {
    console.error('The npm packages could not be installed: npm says why above. Run the same command again.');
    process.exit(1);
  }
  writeFileSync(stamp, whole ? lockfile : runtime);
}
