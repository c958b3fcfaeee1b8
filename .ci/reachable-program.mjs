// If root starts the server from a directory such as /root, which the serving account cannot read, it runs from a copy,
// unless the server can show that directory to the account by a mount.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

const HOME = '/var/lib/pressroom';
const DATA = '.pressroom-data';
const MAY_ENTER = 0o001;

/** Program, script and working directory of the server. */
export function reachableProgram(root, node) {
  const sources = { node, script: join(root, 'packages/server/src/main/quickstart.ts'), cwd: root };
  const { PRESSROOM_CONFIG, PRESSROOM_SERVER_DATADIR } = process.env;
  // Existing data, or data placed by the settings, are not left behind.
  const data = join(root, DATA);
  const found = lstatSync(data, { throwIfNoEntry: false });
  const isPlaced = PRESSROOM_CONFIG ?? PRESSROOM_SERVER_DATADIR ?? found?.isDirectory();
  if (process.getuid?.() !== 0 || isPlaced || othersMayEnter(root) || mayMount()) return sources;
  console.log(`Other accounts cannot enter ${root}, so the server runs from a copy in ${HOME}.`);
  execFileSync(node, ['esbuild.config.mjs'], { cwd: root, stdio: ['ignore', 'ignore', 'ignore'] });
  const program = join(HOME, 'program');
  rmSync(program, { recursive: true, force: true });
  mkdirSync(program, { recursive: true, mode: 0o755 });
  const options = { recursive: true, dereference: true };
  for (const path of ['packages/server/dist', 'examples'])
    cpSync(join(root, path), join(program, path), options);
  cpSync(node, join(program, 'node'), options);
  // Where the documentation and `npm run slack:demo` look for the administrator's key.
  if (!found) symlinkSync(join(HOME, DATA), data);
  return {
    node: join(program, 'node'),
    script: join(program, 'packages/server/dist/quickstart.mjs'),
    cwd: HOME,
  };
}

function mayMount() {
  return spawnSync('unshare', ['--mount', 'true']).status === 0;
}

function othersMayEnter(directory) {
  const parent = dirname(directory);
  return (statSync(directory).mode & MAY_ENTER) !== 0 && (parent === directory || othersMayEnter(parent));
}
