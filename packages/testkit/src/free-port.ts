// Finds an unused port of the loopback interface.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ephemeral range, so that no server of another test gets it before it is used; above the ports that fetch
 * and browsers refuse, of which 10080 is the last.
 */
const FROM = 10_081;
const TO = 32_000;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FROM, TO);
    const probe = createServer().listen(port, '127.0.0.1');
    try {
      await once(probe, 'listening');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue;
      throw error;
    }
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

/** For a server whose address must be known before it starts. */
export async function ownAddress() {
  const address = `http://127.0.0.1:${await freePort()}`;
  return { address, settings: { 'HTTP.Listen': new URL(address).host, 'Server.Address': address } };
}
