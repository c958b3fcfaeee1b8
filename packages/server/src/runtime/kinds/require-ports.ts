// Programs with a port of their own are reachable only in the machine's network.
import { errors } from '@pressroom/api/contract';
import type { Config } from '../../main/config/settings.ts';

/** @throws ApiError 39 if processes run in containers with their own network. */
export function requirePorts(config: Config, what: string): void {
  if (config['Applications.Executor'] !== 'docker') return;
  if (config['Docker.Network'] === 'host' && config['Applications.NetworkAccess']) return;
  throw errors.actionNotSupported({
    message: `${what} listen on a port, and this server runs content in containers: that requires Docker.Network = host and Applications.NetworkAccess`,
  });
}
