// Bundles the programs that tests start as separate processes: node .ci/build-for-tests.mjs DIRECTORY
// Runs under a lock: what another run has built meanwhile is reused.
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
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
    absWorkingDir: ROOT,
    entryPoints: {
      serve: 'packages/server/src/main/serve.ts',
      bot: 'packages/slack/src/main/bot.ts',
      pressroom: 'packages/cli/src/main.ts',
      ...Object.fromEntries(THREADS.map((path) => [basename(path, '.ts'), path])),
    },
    outdir: unfinished,
    // Native modules are loaded from node_modules, which is above the directory.
    external: [...OF_SERVER.external, '@resvg/resvg-js'],
  });
  copyHelpers(unfinished);
  renameSync(unfinished, directory);
}

/** Removes builds of other sources, except those that a concurrent run may use. */
function removeOlder(parent) {
  for (const name of readdirSync(parent).filter((one) => one.startsWith('built-'))) {
    const path = join(parent, name);
    if (Date.now() - statSync(path).mtimeMs > DAY_MS) rmSync(path, { recursive: true });
  }
}
