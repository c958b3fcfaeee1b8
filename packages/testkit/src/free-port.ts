// Finds unused ports of the loopback interface.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ListenOptions, type Server } from 'node:net';

/**
 * Below the ephemeral range, so that no server of another test gets it before it is used; above the ports that fetch
 * and browsers refuse, of which 10080 is the last.
 */
const FROM = 10_081;
const TO = 32_000;
/** Several ports in a row are below the single ones, so that none of them is taken before all are used. */
const SINGLE = 14_000;

export const freePort = () => freePorts(1);

/** The first of several unused ports in a row. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = count === 1 ? randomInt(SINGLE, TO) : randomInt(FROM, SINGLE - count);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const free = await Promise.all(ports.map(isFree));
    if (free.every(Boolean)) return first;
  }
}

async function isFree(port: number): Promise<boolean> {
  // Until this process ends: no other test gets the port before it is used.
  if (!(await listens(createServer().unref(), { path: `\0pressroom-test-port-${port}` }))) return false;
  const probe = createServer();
  if (!(await listens(probe, { port, host: '127.0.0.1' }))) return false;
  probe.close();
  await once(probe, 'close');
  return true;
}

/** Whether nobody else does. */
async function listens(server: Server, where: ListenOptions): Promise<boolean> {
  try {
    await once(server.listen(where), 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
}

/** For a server whose address must be known before it starts. */
export async function ownAddress() {
  const address = `http://127.0.0.1:${await freePort()}`;
  return { address, settings: { 'HTTP.Listen': new URL(address).host, 'Server.Address': address } };
}
