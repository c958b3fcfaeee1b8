// The cluster: whether this server can listen for the others, and reaches those that run.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { clusterKeys } from '../../cluster/secure.ts';
import { splitAddress } from '../../http/listen-address.ts';
import { listServerAddresses } from '../../platform/database/postgres/inspect.ts';
import { messageOf } from '../../platform/errors.ts';
import { newSecretKey } from '../../platform/secrets/secret-key.ts';
import { createSecrets } from '../../platform/secrets/secrets.ts';
import type { Config } from '../config/settings.ts';
import { whatProcessesRequire } from '../processes.ts';
import { checkPortsOfProcesses } from './check-machine.ts';
import { bad, good, type Finding } from './finding.ts';

const WHAT = 'Other servers';
const WAIT_MS = 5000;
/** Microseconds: a running server sends a heartbeat every five seconds. */
const ALIVE = 60_000_000;

/** @param dataDir absolute */
export async function checkCluster(config: Config, dataDir: string): Promise<Finding[]> {
  const missing = whatProcessesRequire(config);
  if (missing !== null)
    return [
      bad('Processes', `Server.Processes requires ${missing}`, 'Set it, or leave out Server.Processes.'),
    ];
  if (config['Cluster.Listen'] === '') {
    return config['Cluster.Address'] === ''
      ? []
      : [bad(WHAT, 'Cluster.Address is set without Cluster.Listen', 'Set Cluster.Listen, too.')];
  }
  if (config['Database.URL'] === '')
    return [bad(WHAT, 'an SQLite file has one server', 'Set Database.URL, or leave out Cluster.Listen.')];
  // The first start makes one. Servers with other data directories have to have it in the setting.
  const keyFile = join(dataDir, 'secret.key');
  const key = config['Secrets.Key'] || (existsSync(keyFile) ? readFileSync(keyFile, 'utf8').trim() : '');
  const { connecting } = clusterKeys(createSecrets(key || newSecretKey()));
  const reach = async (host: string, port: number) => {
    const socket = connect({ ...connecting, host, port });
    socket.setTimeout(WAIT_MS, () => socket.destroy(new Error('no response')));
    try {
      await once(socket, 'secureConnect');
    } finally {
      socket.destroy();
    }
  };
  const isOurs = (host: string, port: number) =>
    reach(host, port).then(
      () => true,
      () => false,
    );
  return [
    ...(await checkPortsOfProcesses({ what: 'Cluster port', setting: 'Cluster.Listen', config, isOurs })),
    ...(await checkOthers(config['Database.URL'], reach)),
  ];
}

/** Empty if the database does not respond: another check reports that. */
async function checkOthers(
  database: string,
  reach: (host: string, port: number) => Promise<void>,
): Promise<Finding[]> {
  const since = Date.now() * 1000 - ALIVE;
  const addresses = await listServerAddresses(database, since).catch(() => []);
  const findings = addresses.map(async (address) => {
    const { host, port } = splitAddress(address);
    try {
      await reach(host, port);
      return good(WHAT, `${address} is reached`);
    } catch (error) {
      return bad(
        WHAT,
        `${address}: ${messageOf(error)}`,
        'Open that port between the servers, see that Cluster.Address there is right and that Secrets.Key is the same.',
      );
    }
  });
  return Promise.all(findings);
}
