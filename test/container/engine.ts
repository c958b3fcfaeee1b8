// A container engine: the one of this machine, else one that lasts as long as the tests.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

export interface Engine extends AsyncDisposable {
  /** Runs a command of the engine; answers its output. */
  run(...args: string[]): Promise<string>;
  /** Waits until a container prints what matches. */
  untilPrinted(container: string, pattern: RegExp): Promise<void>;
  /** Whether it is ours: then containers and builds have the network of this machine only. */
  readonly isOwn: boolean;
}

const DOCKER = ['/usr/bin/docker', 'docker'].find(answers) ?? 'docker';
const DOCKERD = '/usr/sbin/dockerd';

/** Why there is none to be had, in words for the list of tests; null: there is one. */
export function whyNoEngine(): string | null {
  if (isUp() || (process.getuid?.() === 0 && existsSync(DOCKERD))) return null;
  return 'no container engine answers to `docker info`, and root cannot start one: apt-get install docker.io';
}

export async function openEngine(): Promise<Engine> {
  if (isUp()) return engineAt(process.env, false, async () => undefined);
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-engine-'));
  const host = `unix://${directory}/socket`;
  const places = ['data-root', 'exec-root', 'pidfile'].flatMap((name) => [
    `--${name}`,
    join(directory, name),
  ]);
  // No rules of a firewall are touched: published ports go through the engine's own proxy.
  const daemon = spawn(
    DOCKERD,
    ['--host', host, ...places, '--iptables=false', '--ip-forward=false', '--bip=10.213.0.1/24'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(daemon, 'exit');
  const stop = async () => {
    daemon.kill('SIGTERM');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: daemon.stderr })) {
    if (line.includes('API listen on')) {
      daemon.stderr.resume();
      return engineAt({ ...process.env, DOCKER_HOST: host }, true, stop);
    }
  }
  await stop();
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

function answers(command: string): boolean {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;
}
