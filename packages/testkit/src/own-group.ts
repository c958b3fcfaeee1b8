// Ctrl-C goes to all processes of a terminal: what a script started must not end before the script has stopped it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** npm passes on the signal that the terminal has sent to all. */
const SAME_SIGNAL_MS = 1000;

/**
 * Runs the script again in a process group of its own, with the same arguments, until it ends. It gets SIGTERM for each
 * SIGINT and SIGTERM, and `process.connected` is true there as long as this process runs.
 * @returns its exit code
 */
export async function runInOwnGroup(script: string): Promise<number> {
  const inside = spawn(process.execPath, [script, ...process.argv.slice(2)], {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let last = -Infinity;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (performance.now() - last > SAME_SIGNAL_MS) inside.kill('SIGTERM');
      last = performance.now();
    });
  const [code] = (await once(inside, 'exit')) as [number | null];
  return code ?? 1;
}
