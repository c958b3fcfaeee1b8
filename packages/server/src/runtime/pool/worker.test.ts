// Covers programs that listen on a port of the machine: another account may have taken it.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Ending } from '../sandbox/launcher.ts';
import { startWorker } from './worker.ts';

/**
 * A process of this account that should listen on the port, on which this process listens.
 * @param host every address of the machine if unset, IPv6 included where there is
 */
async function start(uid: number, host?: string) {
  const server = createServer((socket) => socket.end());
  await once(server.listen(0, host), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const ended = Promise.withResolvers<Ending>();
  const stop = () => {
    ended.resolve({ code: 0, signal: null, outOfMemory: false, isLost: false, message: 'was stopped' });
    return ended.promise;
  };
  const launched = { id: 'a', directory: '/', socket: '/s', uid, pid: 1, ended: ended.promise, stop };
  const notes: string[] = [];
  const note = (line: string) => void notes.push(line);
  const launch = async () => ({ launched, port });
  const worker = await startWorker({ key: 'a', initTimeout: 10, launch, note });
  onTestFinished(() => void worker.stop());
  return { worker, notes };
}
const own = process.getuid!();

test.each(['127.0.0.1', '0.0.0.0', undefined])('a process that listens on %s gets visitors', async (host) => {
  const { worker } = await start(own, host);
  await worker.ready;
  expect(worker.isReady).toBe(true);
});

test.each(['127.0.0.1', '0.0.0.0', undefined])(
  'a process whose port another account has taken on %s gets none, and is stopped',
  async (host) => {
    const { worker, notes } = await start(own + 1, host);
    await expect(worker.ready).rejects.toMatchObject({ status: 502 });
    expect([worker.isReady, worker.isStopped]).toEqual([false, true]);
    expect(notes).toEqual(['The process was stopped: another account listens on its port']);
  },
);
