// SIGTERM and SIGINT drain the server; then the process ends with 0.
import { once } from 'node:events';
import type { RunningServer } from './start-server.ts';

export async function untilStopped(server: RunningServer): Promise<void> {
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  await server[Symbol.asyncDispose]();
}
