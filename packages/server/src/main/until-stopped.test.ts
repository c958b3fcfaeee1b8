// Covers the signals that stop a server, in order.
import { expect, test } from 'vitest';
import type { RunningServer } from './start-server.ts';
import { untilStopped } from './until-stopped.ts';

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s drains the server, and a second one stops it at once',
  async (signal) => {
    const happened: string[] = [];
    const server = {
      drain: () => happened.push('drained'),
      services: { config: { 'HTTP.DrainDelay': 3600 } },
      [Symbol.asyncDispose]: async () => void happened.push('ended'),
    };
    const stopped = untilStopped(server as unknown as RunningServer);
    process.emit(signal);
    await new Promise(setImmediate);
    expect(happened).toEqual(['drained']);
    process.emit(signal);
    await stopped;
    expect(happened).toEqual(['drained', 'ended']);
  },
);
