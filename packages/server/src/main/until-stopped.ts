// SIGTERM, SIGINT and SIGHUP, sent when a terminal is closed, drain the server; then the process exits with 0.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { timerMs } from '../platform/clock.ts';
import type { RunningServer } from './start-server.ts';

export async function untilStopped(server: RunningServer): Promise<void> {
  await told();
  server.drain();
  const seconds = server.services.config['HTTP.DrainDelay'];
  // A second signal skips the delay.
  if (seconds > 0) await Promise.race([delay(timerMs(seconds), undefined, { ref: false }), told()]);
  await server[Symbol.asyncDispose]();
}

function told(): Promise<unknown> {
  return Promise.race(['SIGTERM', 'SIGINT', 'SIGHUP'].map((signal) => once(process, signal)));
}
