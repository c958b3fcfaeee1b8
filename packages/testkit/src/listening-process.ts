// One of our programs as a separate process, to be killed, limited and measured.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { COMPILE_CACHE } from './compile-cache.ts';

/** Killed at the end of its scope, unless it has ended before. */
export interface ListeningProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Sends a signal and waits for the end; returns the exit code, null if killed. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

/**
 * Starts a script and waits for the line with its address.
 * @param onLine receives other lines
 * @param inherited file descriptors that it gets from 20 on
 * @throws if it ends before
 */
export async function startListening(
  script: string,
  env: Readonly<Record<string, string>>,
  onLine: (line: string) => void = () => undefined,
  inherited: readonly number[] = [],
): Promise<ListeningProcess> {
  const child = spawn(process.execPath, [script], {
    env: { ...COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'inherit', ...Array<'ignore'>(17).fill('ignore'), ...inherited],
  });
  const lines = createInterface({ input: child.stdout as Readable });
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('close', () => reject(new Error(`${script} ended before it listened`)));
    lines.on('line', (line) => {
      const found = /listens on (\S+)/.exec(line)?.[1];
      if (found === undefined) onLine(line);
      else resolve(found);
    });
  });
  const stop = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return child.exitCode;
  };
  return { url, pid: child.pid!, stop, [Symbol.asyncDispose]: async () => void (await stop('SIGKILL')) };
}
