#!/usr/bin/env node
// Starts the command: the sources in the repository, the built file in an installed package; with a suitable Node.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const source = path.join(here, '..', 'src', 'main.ts');
const built = path.join(here, '..', 'dist', 'pressroom.mjs');

/** The HTTP client requires 22.19; type stripping, for the sources, came before. */
function isRecentEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 19);
}

/** The `node` package's Node, in this directory or a parent. */
function findWorkspaceNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  for (let folder = here; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'node_modules', 'node', 'bin', name);
    if (existsSync(candidate)) return candidate;
    if (folder === path.dirname(folder)) return undefined;
  }
}

/**
 * Halves the time of later starts. Not in the directory for temporary files, as by default: others could put there what
 * this account would run.
 */
function keepCompiled() {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME } = process.env;
  const caches = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && path.join(HOME, '.cache'));
  // An account may have no home directory.
  if (caches && path.isAbsolute(caches) && existsSync(path.dirname(caches)))
    module.enableCompileCache?.(path.join(caches, 'pressroom'));
}

function runWith(node) {
  const env = { ...process.env, PRESSROOM_REEXEC: '1' };
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env,
  });
  // A terminal sends Ctrl-C to both processes; other signals are passed on, and the child decides how to end.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('error', (error) => {
    console.error(`Cannot start ${node}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 130);
  });
}

if (isRecentEnough()) {
  keepCompiled();
  await import(pathToFileURL(existsSync(source) ? source : built).href);
} else {
  const node = process.env.PRESSROOM_REEXEC === '1' ? undefined : findWorkspaceNode();
  if (node !== undefined) runWith(node);
  else {
    console.error(
      `pressroom requires Node.js 22.19 or newer; this is ${process.versions.node}. Install it from https://nodejs.org/`,
    );
    process.exitCode = 2;
  }
}
