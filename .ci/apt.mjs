// Installs packages with apt-get, says what it does and how far it is; gives up early where no server is reached.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { has } from './system-packages.mjs';

/** Milliseconds without a word from any package server before it counts as out of reach. */
const PATIENCE = 8000;
const WIDTH = 30;
/** Of the log, when it fails. */
const LINES_SHOWN = 20;

/** The one command that does it by hand. */
export function commandFor(names) {
  return `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names.join(' ')}`;
}

/** @returns null when they are installed, else why not */
export async function installPackages(names) {
  if (!has('apt-get')) return 'this system has no apt-get';
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  if (sudo.length > 0 && (!has('sudo') || spawnSync('sudo', ['-n', 'true']).status !== 0))
    return 'installing packages requires root or sudo without a password';
  if (!(await update(sudo))) return 'no package server was reached';
  const size = sizeOf(sudo, names);
  console.log(`Installing ${names.join(', ')}${size === null ? '' : ` (${size})`}`);
  const ok = await install(sudo, names);
  return ok ? null : 'apt-get failed; its last messages are above';
}

/** In English, without questions. @param script of a shell, which gets the rest as its arguments */
function shell(sudo, script, args) {
  const environment = ['env', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C'];
  return [...sudo, ...environment, 'sh', '-c', script, 'sh', ...args];
}

/** False where no server answers in time. Old lists are better than none. */
async function update(sudo) {
  const limits = ['http', 'https'].flatMap((scheme) => ['-o', `Acquire::${scheme}::Timeout=5`]);
  const [command, ...rest] = shell(sudo, 'exec apt-get update "$@"', ['-o', 'Acquire::Retries=0', ...limits]);
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  let reached = false;
  const timer = setTimeout(() => {
    if (!reached) lines.close();
  }, PATIENCE);
  for await (const line of lines) if (/^(Hit|Get):/.test(line)) reached = true;
  clearTimeout(timer);
  // Behind sudo it cannot be stopped: it ends by its own limits.
  if (reached) await exited;
  else child.unref();
  return reached;
}

/** What apt-get would fetch, in its own words; null where it does not say. */
function sizeOf(sudo, names) {
  const script = 'exec apt-get install --no-install-recommends --assume-no "$@"';
  const [command, ...rest] = shell(sudo, script, names);
  const { stdout } = spawnSync(command, rest, { encoding: 'utf8' });
  const [, count] = /(\d+) newly installed/.exec(stdout) ?? [];
  const [, bytes] = /Need to get ([\d.,]+ \w+)/.exec(stdout) ?? [];
  if (count === undefined || bytes === undefined) return null;
  const time = Number(count) > 20 ? '; this takes a few minutes' : '';
  return `${count} packages, ${bytes} to download${time}`;
}

async function install(sudo, names) {
  const progress = createProgress();
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-apt-'));
  const log = join(directory, 'log');
  // Progress gets a descriptor of its own: scripts of packages fail to write to the one that apt-get reports on.
  const script = 'log=$1; shift; exec apt-get "$@" 3>&1 >"$log" 2>&1';
  const options = ['-o', 'APT::Status-Fd=3', '-o', 'Dpkg::Use-Pty=0'];
  const args = ['install', '-y', '--no-install-recommends', ...options, ...names];
  const [command, ...rest] = shell(sudo, script, [log, ...args]);
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const [, kind, percent, text] = /^(dlstatus|pmstatus):[^:]*:([\d.]+):(.*)$/.exec(line) ?? [];
    // Fetching is the first half.
    if (kind !== undefined) progress.show((Number(percent) + (kind === 'pmstatus' ? 100 : 0)) / 200, text);
  }
  const [code] = await exited;
  progress.end();
  if (code !== 0) console.error(readFileSync(log, 'utf8').trim().split('\n').slice(-LINES_SHOWN).join('\n'));
  rmSync(directory, { recursive: true, force: true });
  return code === 0;
}

/** A bar on a terminal, else a line for each tenth. */
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
