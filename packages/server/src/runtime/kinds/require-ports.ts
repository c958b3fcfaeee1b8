// What listens on a port of its own can be reached only where it shares the network of this machine.
import { errors } from '@pressroom/api/contract';
import type { Config } from '../../main/config/settings.ts';

/** @throws ApiError 39 where processes run in containers with a network of their own. */
export function requirePorts(config: Config, what: string): void {
  if (config['Applications.Executor'] !== 'docker') return;
  if (config['Docker.Network'] === 'host' && config['Applications.NetworkAccess']) return;
  throw errors.actionNotSupported({
    message: `${what} listen on a port, and this server runs content in containers: that requires Docker.Network = host and Applications.NetworkAccess`,
  });
}
