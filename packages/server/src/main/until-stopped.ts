// A stop signal drains the server; then the process exits with 0.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { timerMs } from '../platform/clock.ts';
import type { RunningServer } from './start-server.ts';
import { STOP_SIGNALS } from './stop-signals.ts';

export async function untilStopped(server: RunningServer): Promise<void> {
  await stopSignal();
  server.drain();
  const seconds = server.services.config['HTTP.DrainDelay'];
  // A second signal skips the delay.
  if (seconds > 0) await Promise.race([delay(timerMs(seconds), undefined, { ref: false }), stopSignal()]);
  await server[Symbol.asyncDispose]();
}

/** Milliseconds. */
const EXIT_MS = 1000;

/**
 * To be called after a server has stopped: ends the process although a connection would keep it, such as one to a mail
 * server that does not respond.
 */
export function exitSoon(): void {
  setTimeout(() => process.exit(), EXIT_MS).unref();
}

function stopSignal(): Promise<unknown> {
  return Promise.race(STOP_SIGNALS.map((signal) => once(process, signal)));
}
