// If root starts the server from a directory such as /root, which the serving account cannot read, it runs from a copy,
// unless the server can show that directory to the account by a mount.
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { mayMount, othersMayEnter } from './closed-directory.mjs';

const HOME = '/var/lib/pressroom';
const DATA = '.pressroom-data';
/** From the dependencies: runs TypeScript. */
const NODE = 'node_modules/node/bin/node';
const SCRIPT = 'packages/server/src/main/quickstart.ts';

/** Program, script and working directory of the server. */
export function reachableProgram(root) {
  const sources = { node: join(root, NODE), script: join(root, SCRIPT), cwd: root };
  const { PRESSROOM_CONFIG, PRESSROOM_SERVER_DATADIR } = process.env;
  // Existing data, or data placed by the settings, are not left behind.
  const data = join(root, DATA);
  const found = lstatSync(data, { throwIfNoEntry: false });
  const isPlaced = PRESSROOM_CONFIG ?? PRESSROOM_SERVER_DATADIR ?? found?.isDirectory();
  if (process.getuid?.() !== 0 || isPlaced || othersMayEnter(root) || mayMount()) return sources;
  console.log(`Other accounts cannot enter ${root}, so the server runs from a copy in ${HOME}.`);
  const program = join(HOME, 'program');
  rmSync(program, { recursive: true, force: true });
  mkdirSync(program, { recursive: true });
  const paths = ['package.json', 'packages', 'examples', ...packagesOf(root)];
  execFileSync('cp', ['--recursive', '--parents', ...paths, program], { cwd: root });
  // Root may have an umask that hides new files from others.
  execFileSync('chmod', ['go+rX', HOME]);
  execFileSync('chmod', ['--recursive', 'go+rX', program]);
  // Where the documentation and `npm run slack:demo` look for the administrator's key.
  if (!found) symlinkSync(join(HOME, DATA), data);
  return { node: join(program, NODE), script: join(program, SCRIPT), cwd: HOME };
}

/** Directories of the npm packages that a server needs, without those for development. */
function packagesOf(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.keys(packages).filter(
    (path) =>
      /^node_modules\/[^/]+(\/[^/]+)?$/.test(path) && !packages[path].dev && existsSync(join(root, path)),
  );
}
