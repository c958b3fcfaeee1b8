// The server as a process of its own, so that it can be killed, limited and measured.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Sends a signal and waits for the end; answers the exit code, null when killed. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

const SERVE = join(import.meta.dirname, '../../server/src/start/serve.ts');

export async function startServerProcess(
  dataDir: string,
  env: Record<string, string> = {},
): Promise<ServerProcess> {
  const child: ChildProcess = spawn(process.execPath, [SERVE], {
    env: {
      PATH: process.env.PATH ?? '',
      PRESSROOM_SERVER_DATADIR: dataDir,
      PRESSROOM_HTTP_LISTEN: '127.0.0.1:0',
      PRESSROOM_LOG_LEVEL: 'error',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = /listens on (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    return {
      url,
      pid: child.pid!,
      async stop(signal) {
        child.kill(signal);
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
        return child.exitCode;
      },
    };
  }
  throw new Error('the server ended before it listened');
}
