// Third-party servers, started for a test in their own directory, and ended with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Daemon extends AsyncDisposable {
  readonly directory: string;
  readonly pid: number;
}

/**
 * @param prepare fills the directory and returns the command to run in the foreground.
 * @param port accepts connections once it has started.
 */
export async function startDaemon(
  name: string,
  port: number,
  prepare: (directory: string) => readonly [file: string, ...args: string[]],
): Promise<Daemon> {
  using stack = new DisposableStack();
  const directory = mkdtempSync(join(tmpdir(), `pressroom-${name}-`));
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  const [file, ...args] = prepare(directory);
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: directory });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  let failed: Error | null = null;
  child.once('error', (error) => (failed = error));
  const ended = () => failed !== null || child.exitCode !== null || child.signalCode !== null;
  while (!(await accepts(port))) {
    if (ended()) throw new Error(`${name} did not start: ${stderr}`, { cause: failed });
    // There is no event for "accepts connections": polling is the only way.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const started = stack.move();
  return {
    directory,
    pid: child.pid!,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      if (!ended()) await once(child, 'exit');
      started.dispose();
    },
  };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
