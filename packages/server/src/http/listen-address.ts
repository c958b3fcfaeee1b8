// Addresses to listen on, as settings give them, and as a server has them.
import type { Server } from 'node:net';

/** Host and port of `127.0.0.1:3939`, `:3939` (all addresses) or `[::1]:3939`; the settings are checked for that form. */
export function splitAddress(address: string): { host: string; port: number } {
  const [, v6, name, port] = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(address) ?? [];
  return { host: v6 ?? (name || '0.0.0.0'), port: Number(port) };
}

/** Where a server listens on a TCP port. @throws when it does not */
export function addressOf(server: Server): { address: string; family: string; port: number } {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return address;
}
