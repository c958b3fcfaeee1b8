// Several processes that serve one address: Node.js uses one processor. Each is a server of its own, as on machines of
// their own, and the system gives each connection to one of them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { cannotListen, splitAddress } from '../http/listen-address.ts';
import { ConfigError } from './config/load-config.ts';
import type { Config } from './config/settings.ts';
import { PARENT_FD, PROCESS } from './one-of-several.ts';
import { exitCodeOf, STOP_SIGNALS } from './stop-signals.ts';

const WITH_PORTS = ['HTTP.Listen', 'Cluster.Listen', 'Metrics.PrometheusListen'] as const;

/** Milliseconds until one that did not start again is tried once more: the database may be away. */
const AGAIN_MS = 1000;

/** Null if nothing is missing. */
export function whatProcessesRequire(config: Config): string | null {
  if (config['Server.Processes'] === 1) return null;
  if (config['Database.URL'] === '') return 'Database.URL: an SQLite file has one process';
  if (config['Cluster.Listen'] === '')
    return 'Cluster.Listen, where the processes reach each other: 127.0.0.1:3941 if no other machine has servers';
  const anyPort = WITH_PORTS.find((name) => config[name] !== '' && splitAddress(config[name]).port === 0);
  return anyPort === undefined ? null : `a port in ${anyPort}, other than 0`;
}

/**
 * Runs the processes until all have ended, and returns the exit code. One that ends by itself is started again, unless it
 * never listened.
 * @param script this program's own file
 * @throws ConfigError, or if the address is in use
 */
export async function runProcesses(script: string, config: Config): Promise<number> {
  const missing = whatProcessesRequire(config);
  if (missing !== null) throw new ConfigError(`Server.Processes requires ${missing}`);
  await requireFree(config['HTTP.Listen']);
  const count = config['Server.Processes'];
  const running = new Set<ChildProcess>();
  let isStopping = false;
  let listening = 0;
  const stop = (signal: NodeJS.Signals) => {
    isStopping = true;
    for (const child of running) child.kill(signal);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, stop);

  /** Returns the exit code that ends it for good. */
  async function keep(number: number): Promise<number> {
    let hasListened = false;
    for (;;) {
      const child = start(script, number);
      running.add(child);
      const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
      const url = await firstLine(child.stdio[PARENT_FD] as Readable);
      if (url !== '' && (listening += 1) === count)
        console.log(`Pressroom listens on ${url} with ${count} processes`);
      const [code, signal] = await exited;
      running.delete(child);
      if (isStopping) return exitCodeOf(code, signal);
      hasListened ||= url !== '';
      if (!hasListened) {
        stop('SIGTERM');
        return code || 1;
      }
      console.error(
        `Process ${number} of the server ended unexpectedly (${signal ?? `exit code ${code}`}), and is started again.`,
      );
      if (url === '') await delay(AGAIN_MS);
      if (isStopping) return 0;
    }
  }

  try {
    const codes = await Promise.all(Array.from({ length: count }, (_, index) => keep(index + 1)));
    return Math.max(...codes);
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  }
}

/** The processes share the port, and would share it with another server of this account, too. */
async function requireFree(place: string): Promise<void> {
  const probe = createServer().listen(splitAddress(place));
  await once(probe, 'listening').catch(cannotListen('HTTP.Listen', place));
  probe.close();
  await once(probe, 'close');
}

function start(script: string, number: number): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, script], {
    // Signals come to this process, which passes them on once.
    detached: true,
    stdio: ['inherit', 'inherit', 'inherit', 'ignore', 'pipe'],
    env: { ...process.env, [PROCESS]: String(number) },
  });
}

/** Empty if there is none. */
function firstLine(input: Readable): Promise<string> {
  const lines = createInterface({ input: input.on('error', () => undefined) });
  return new Promise((resolve) => {
    lines.once('line', resolve).once('close', () => resolve(''));
  });
}
