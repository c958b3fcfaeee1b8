// Installs Chromium for the browser tests on Ubuntu, which offers it as a snap only: from npm, to where the server finds
// its programs.
import { spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { runProgram } from '../../../.ci/run-program.mjs';
import { sudo } from '../../../.ci/sudo.mjs';

const here = import.meta.dirname;
const packed = join(here, 'node_modules/@sparticuz/chromium/bin');
const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];

/** Puts the program, and what it draws with, from one directory into another. */
const PLACE = `set -e
mkdir -p /usr/local/lib/chromium-headless-shell
tar --extract --no-same-owner --file "$1/swiftshader.tar" --directory /usr/local/lib/chromium-headless-shell
install -m 755 "$1/chromium" /usr/local/lib/chromium-headless-shell/
ln -sf ../lib/chromium-headless-shell/chromium /usr/local/bin/chromium-headless-shell`;

/** Requires root, or sudo without a password. */
export async function installBrowser() {
  console.log('Installing Chromium for the tests …');
  if ((await runProgram('npm', ['ci', '--ignore-scripts', ...quiet], { cwd: here })) !== 0)
    throw new Error(`npm ci failed in ${here}`);
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-chromium-'));
  try {
    for (const name of ['chromium', 'swiftshader.tar'])
      await pipeline(
        createReadStream(join(packed, `${name}.br`)),
        createBrotliDecompress(),
        createWriteStream(join(directory, name)),
      );
    const [program, ...args] = [...(sudo() ?? []), 'sh', '-c', PLACE, 'sh', directory];
    const { status } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) throw new Error('Chromium cannot be written to /usr/local');
  } finally {
    rmSync(directory, { recursive: true });
  }
}
