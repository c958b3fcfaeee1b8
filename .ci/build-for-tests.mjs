// Bundles the programs that tests start as processes of their own: node .ci/build-for-tests.mjs DIRECTORY
// Run under a lock: what another run has made meanwhile is not made again.
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { copyHelpers, OF_SERVER, SHARED, THREADS } from './bundles.mjs';

const DAY_MS = 24 * 60 * 60 * 1000;
const ROOT = join(import.meta.dirname, '..');

const directory = process.argv[2];
if (!existsSync(directory)) {
  removeOlder(dirname(directory));
  const unfinished = `${directory}-unfinished`;
  await build({
    ...SHARED,
    ...OF_SERVER,
    entryPoints: ['packages/server/src/main/serve.ts', 'packages/slack/src/main/bot.ts', ...THREADS].map(
      (path) => join(ROOT, path),
    ),
    outdir: unfinished,
    // Not JavaScript alone: found in node_modules, below which the directory is.
    external: [...OF_SERVER.external, '@resvg/resvg-js'],
  });
  copyHelpers(unfinished);
  renameSync(unfinished, directory);
}

/** Of other sources than those of now; but not what a run beside this one may use. */
function removeOlder(parent) {
  for (const name of readdirSync(parent).filter((one) => one.startsWith('built-'))) {
    const path = join(parent, name);
    if (Date.now() - statSync(path).mtimeMs > DAY_MS) rmSync(path, { recursive: true });
  }
}
