// Installs packages with apt-get, showing its progress; gives up early if no server is reachable.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sudo } from './sudo.mjs';
import { has } from './system-packages.mjs';

/** Milliseconds without data from any package server before it counts as unreachable. */
const PATIENCE = 8000;
const WIDTH = 30;
/** Lines of the log shown on failure. */
const LINES_SHOWN = 20;

/** The command to install them by hand. */
export function commandFor(names) {
  return `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names.join(' ')}`;
}

/** @returns null once installed, else the reason */
export async function installPackages(names) {
  if (!has('apt-get')) return 'this system has no apt-get';
  const by = sudo();
  if (by === null) return 'installing packages requires root or sudo without a password';
  if (!(await update(by))) return 'no package server was reached';
  const size = sizeOf(by, names);
  console.log(`Installing ${names.join(', ')}${size === null ? '' : ` (${size})`}`);
  const ok = await install(by, names);
  return ok ? null : 'apt-get failed; its last messages are above';
}

/** In English and non-interactive. @param script for the shell, which gets the rest as arguments */
function shell(by, script, args) {
  const environment = ['env', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C'];
  return [...by, ...environment, 'sh', '-c', script, 'sh', ...args];
}

/** False if no server responds in time. Old lists are better than none. */
async function update(by) {
  const limits = ['http', 'https'].flatMap((scheme) => ['-o', `Acquire::${scheme}::Timeout=5`]);
  const [command, ...rest] = shell(by, 'exec apt-get update "$@"', ['-o', 'Acquire::Retries=0', ...limits]);
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  let reached = false;
  const timer = setTimeout(() => {
    if (!reached) lines.close();
  }, PATIENCE);
  for await (const line of lines) if (/^(Hit|Get):/.test(line)) reached = true;
  clearTimeout(timer);
  // It cannot be stopped behind sudo: it ends by its own timeouts.
  if (reached) await exited;
  else child.unref();
  return reached;
}

/** Download size in apt-get's own words; null if not reported. */
function sizeOf(by, names) {
  const script = 'exec apt-get install --no-install-recommends --assume-no "$@"';
  const [command, ...rest] = shell(by, script, names);
  const { stdout } = spawnSync(command, rest, { encoding: 'utf8' });
  const [, count] = /(\d+) newly installed/.exec(stdout) ?? [];
  const [, bytes] = /Need to get ([\d.,]+ \w+)/.exec(stdout) ?? [];
  if (count === undefined || bytes === undefined) return null;
  const time = Number(count) > 20 ? '; this takes a few minutes' : '';
  return `${count} packages, ${bytes} to download${time}`;
}

async function install(by, names) {
  const progress = createProgress();
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-apt-'));
  const log = join(directory, 'log');
  // Progress uses a separate descriptor: package scripts fail to write to apt-get's status descriptor.
  const script = 'log=$1; shift; exec apt-get "$@" 3>&1 >"$log" 2>&1';
  const options = ['-o', 'APT::Status-Fd=3', '-o', 'Dpkg::Use-Pty=0'];
  const args = ['install', '-y', '--no-install-recommends', ...options, ...names];
  const [command, ...rest] = shell(by, script, [log, ...args]);
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const [, kind, percent, text] = /^(dlstatus|pmstatus):[^:]*:([\d.]+):(.*)$/.exec(line) ?? [];
    // Downloading is the first half.
    if (kind !== undefined) progress.show((Number(percent) + (kind === 'pmstatus' ? 100 : 0)) / 200, text);
  }
  const [code] = await exited;
  progress.end();
  if (code !== 0) console.error(readFileSync(log, 'utf8').trim().split('\n').slice(-LINES_SHOWN).join('\n'));
  rmSync(directory, { recursive: true, force: true });
  return code === 0;
}

/** A bar on a terminal, else a line for every 10 %. */
function createProgress() {
  const onTerminal = process.stdout.isTTY === true;
  let tenth = 0;
  return {
    show(part, text) {
      if (onTerminal) {
        const full = Math.round(part * WIDTH);
        const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full);
        process.stdout.write(`\r\u001b[K  ${bar} ${Math.round(part * 100)} % ${text.slice(0, 40)}`);
      } else if (Math.floor(part * 10) > tenth) {
        tenth = Math.floor(part * 10);
        console.log(`  ${tenth * 10} %`);
      }
    },
    end() {
      if (onTerminal) process.stdout.write('\r\u001b[K');
    },
  };
}
