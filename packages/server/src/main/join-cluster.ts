// Joins the cluster, if configured.
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { createCluster, type Cluster, type ClusterOptions } from '../cluster/cluster.ts';
import { type ClusterHandlers, listenForServers } from '../cluster/listen-for-servers.ts';
import { cannotListen, splitAddress } from '../http/listen-address.ts';
import { timerMs } from '../platform/clock.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { ConfigError } from './config/load-config.ts';
import type { Config } from './config/settings.ts';

const ALL_ADDRESSES = new Set(['0.0.0.0', '::']);

/**
 * Null for a single server.
 * @param stack closes what is opened here.
 * @throws an Error that names the setting.
 */
export function openCluster(
  { config, ...options }: ClusterOptions & { readonly config: Config },
  stack: Pick<AsyncDisposableStack, 'use'>,
): Cluster | null {
  if (config['Cluster.Listen'] === '') {
    if (config['Cluster.Address'] !== '') throw new ConfigError('Cluster.Address requires Cluster.Listen');
    return null;
  }
  if (!options.storage.isShared)
    throw new ConfigError('Cluster.Listen requires Database.URL: an SQLite file has one server');
  return stack.use(createCluster(options));
}

/** To be called before visitors can connect. @throws an Error that names the setting. */
export async function joinCluster(
  cluster: Cluster,
  { config, secrets, log }: { readonly config: Config; readonly secrets: Secrets; readonly log: Logger },
  handlers: ClusterHandlers,
): Promise<AsyncDisposable> {
  const wanted = config['Cluster.Listen'];
  const patience = timerMs(config['HTTP.ShutdownTimeout']);
  const options = { secrets, node: cluster.node, log, patience };
  const listener = await listenForServers(wanted, options, handlers).catch(
    cannotListen('Cluster.Listen', wanted),
  );
  try {
    const { host } = splitAddress(wanted);
    const name = ALL_ADDRESSES.has(host) ? hostname() : host;
    const own = `${name.includes(':') ? `[${name}]` : name}:${listener.port}`;
    await cluster.join(config['Cluster.Address'] || own);
  } catch (error) {
    await listener[Symbol.asyncDispose]();
    throw error;
  }
  return {
    async [Symbol.asyncDispose]() {
      await cluster.leave();
      await listener[Symbol.asyncDispose]();
    },
  };
}
