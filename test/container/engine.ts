// A container engine: the machine's, else one for the duration of the tests.
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

export interface Engine extends AsyncDisposable {
  /** Runs a command of the engine; returns its output. */
  run(...args: string[]): Promise<string>;
  /** Waits until a container prints what matches. */
  untilPrinted(container: string, pattern: RegExp): Promise<void>;
  /** Whether it was started here: then builds have the machine's network, and containers none but those made for them. */
  readonly isOwn: boolean;
}

export const DOCKER = ['/usr/bin/docker', 'docker'].find(responses) ?? 'docker';
/** On Debian, else on Ubuntu. */
const DOCKERD = ['/usr/sbin/dockerd', '/usr/bin/dockerd'].find(existsSync) ?? 'dockerd';

/** Why there is none, for the list of tests; null if there is one. */
export function whyNoEngine(): string | null {
  if (isUp() || whyNoOwnEngine() === null) return null;
  return 'no container engine answers to `docker info`, and root cannot start one: apt-get install docker.io';
}

/** Why none can be started for a test that changes its engine; null if one can. */
export function whyNoOwnEngine(): string | null {
  if (process.getuid?.() === 0 && existsSync(DOCKERD)) return null;
  return 'only root starts a container engine, and only one that is installed: apt-get install docker.io';
}

export async function openEngine(): Promise<Engine> {
  return isUp() ? engineAt(process.env, false, async () => undefined) : openOwnEngine();
}

/** A private engine, which can be stopped and killed. */
export interface OwnEngine extends Engine {
  /** For `DOCKER_HOST`. */
  readonly host: string;
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  start(): Promise<void>;
}

/** It has no default bridge: a machine has only one, and an engine that starts without it removes that of others. */
export async function openOwnEngine(): Promise<OwnEngine> {
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-engine-'));
  const host = `unix://${directory}/socket`;
  let daemon = await startDaemon(directory, host);
  const stop = async (signal: 'SIGTERM' | 'SIGKILL') => {
    const ended = once(daemon, 'exit');
    daemon.kill(signal);
    await ended;
  };
  const engine = engineAt({ ...process.env, DOCKER_HOST: host }, true, async () => {
    if (daemon.exitCode === null && daemon.signalCode === null) await stop('SIGTERM');
    endShims(directory);
    unmountBelow(directory);
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    ...engine,
    host,
    stop,
    async start() {
      // A containerd killed with it may remain as a zombie for a while.
      for (const name of ['pidfile', 'exec-root/containerd/containerd.pid'])
        rmSync(join(directory, name), { force: true });
      daemon = await startDaemon(directory, host);
    },
  };
}

/** Ends shims of containers that were created but not started when it was killed. */
function endShims(directory: string): void {
  const socket = join(directory, 'exec-root/containerd/containerd.sock');
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(socket)) continue;
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
      for (const one of [...children, pid]) process.kill(Number(one), 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Unmounts leftovers of a killed engine. */
function unmountBelow(directory: string): void {
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  for (const path of mounts.filter((mount) => mount.startsWith(`${directory}/`)).toReversed())
    spawnSync('umount', ['--lazy', path]);
}

async function startDaemon(directory: string, host: string): Promise<ChildProcess> {
  const places = ['data-root', 'exec-root', 'pidfile'].flatMap((name) => [
    `--${name}`,
    join(directory, name),
  ]);
  // No firewall rules: published ports use the engine's own proxy.
  const daemon = spawn(
    DOCKERD,
    ['--host', host, ...places, '--iptables=false', '--ip-forward=false', '--bridge=none'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      // Services run the images of the test, which are in no registry.
      env: { ...process.env, DOCKER_SERVICE_PREFER_OFFLINE_IMAGE: '1' },
    },
  );
  // A killed one resets it.
  daemon.stderr.on('error', () => undefined);
  for await (const line of createInterface({ input: daemon.stderr })) {
    if (line.includes('API listen on')) {
      daemon.stderr.resume();
      return daemon;
    }
  }
  throw new Error('dockerd ended before it listened');
}

function engineAt(env: NodeJS.ProcessEnv, isOwn: boolean, stop: () => Promise<void>): Engine {
  const options = { env: { ...env, DOCKER_BUILDKIT: '1' }, maxBuffer: 64 * 2 ** 20 };
  return {
    isOwn,
    async run(...args) {
      const { stdout } = await promisify(execFile)(DOCKER, args, options);
      return stdout.trim();
    },
    async untilPrinted(container, pattern) {
      const logs = spawn(DOCKER, ['logs', '--follow', container], {
        ...options,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const seen: string[] = [];
      for await (const line of createInterface({ input: logs.stdout })) {
        seen.push(line);
        if (!pattern.test(line)) continue;
        logs.kill();
        return;
      }
      throw new Error(`the container ended: ${seen.join('\n')}`);
    },
    [Symbol.asyncDispose]: stop,
  };
}

function isUp(): boolean {
  return spawnSync(DOCKER, ['info'], { stdio: 'ignore' }).status === 0;
}

function responses(command: string): boolean {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;
}
