// Bundles our programs, once for all tests: loading hundreds of sources doubles the start time of a server.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COMPILE_CACHE } from './compile-cache.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SOURCES = [
  'package-lock.json',
  '.ci/*.mjs',
  'packages/{api,cli,node-sqlite,server,slack}/{package.json,src/**}',
];

let built: Promise<string> | null = null;

/** The bundled server, Slack bot or command line, built from the current sources. */
export async function builtProgram(name: 'serve' | 'bot' | 'pressroom'): Promise<string> {
  built ??= build();
  return join(await built, `${name}.mjs`);
}

async function build(): Promise<string> {
  const parent = COMPILE_CACHE.NODE_COMPILE_CACHE;
  const directory = join(parent, `built-${state()}`);
  if (existsSync(directory)) return directory;
  mkdirSync(parent, { recursive: true });
  // Of concurrent workers one builds, and the others wait.
  const script = join(ROOT, '.ci/build-for-tests.mjs');
  await promisify(execFile)('flock', [join(parent, 'building'), process.execPath, script, directory]);
  return directory;
}

/** Changes whenever a source has changed. */
function state(): string {
  const hash = createHash('sha256');
  for (const file of globSync(SOURCES, { cwd: ROOT }).toSorted()) {
    const { size, mtimeMs } = statSync(join(ROOT, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}
