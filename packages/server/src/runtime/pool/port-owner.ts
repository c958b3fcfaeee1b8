// The accounts that listen on a port of this machine, according to the kernel.
import { readFile } from 'node:fs/promises';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** In the kernel's table of connections. */
const LISTENING = '0A';

/**
 * Programs listen on a port of the machine's network, which any account can take first: it would get their visitors.
 * @param uid account that runs the content
 * @throws if another one listens on its port, at any address
 */
export async function requireOwnPort(port: number, uid: number): Promise<void> {
  const own = port.toString(16).toUpperCase().padStart(4, '0');
  // Elsewhere than on Linux there is none.
  const tables = await Promise.all(TABLES.map((table) => readFile(table, 'latin1').catch(() => '')));
  for (const line of tables.join('\n').split('\n')) {
    const [, address = '', , state, , , , account] = line.trim().split(/\s+/);
    if (state === LISTENING && address.endsWith(`:${own}`) && Number(account) !== uid)
      throw new Error('another account listens on its port');
  }
}
