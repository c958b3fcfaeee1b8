// Addresses to listen on, in settings and of listening servers.
import type { Server } from 'node:net';
import { variableName } from '../main/config/load-config.ts';
import type { SettingName } from '../main/config/settings.ts';
import { errnoOf, messageOf } from '../platform/errors.ts';

/**
 * Host and port of `127.0.0.1:3939`, `:3939` (all addresses) or `[::1]:3939`; the form was checked with the settings.
 */
export function splitAddress(address: string): { host: string; port: number } {
  const [, v6, name, port] = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(address) ?? [];
  return { host: v6 ?? (name || '0.0.0.0'), port: Number(port) };
}

/** For `listen`: the processes of one server share an address. */
export function listenOptions(
  config: { readonly 'Server.Processes': number },
  address: string,
): { host: string; port: number; reusePort: boolean } {
  return { ...splitAddress(address), reusePort: config['Server.Processes'] > 1 };
}

/** For `catch`: names the setting of an address that cannot be used, and a remedy. */
export function cannotListen(setting: SettingName, address: string): (error: unknown) => never {
  const name = `${setting} (${variableName(setting)})`;
  return (error) => {
    const messages: Readonly<Record<string, string>> = {
      EADDRINUSE: `another program listens on ${address}: stop it, or set ${name} to another port`,
      EADDRNOTAVAIL: `${splitAddress(address).host} is not an address of this machine: set ${name} to one of its addresses`,
      EACCES: `this account may not listen on ${address}: set ${name} to a port from 1024 up, behind a proxy`,
    };
    const message = messages[errnoOf(error) ?? ''] ?? `${name}: ${messageOf(error)}`;
    throw new Error(message, { cause: error });
  };
}

/** The TCP address of a server. @throws if it does not listen */
export function addressOf(server: Server): { address: string; family: string; port: number } {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return address;
}
