// The cluster: whether this server can listen for the others, and reaches those that run.
import { once } from 'node:events';
import { connect } from 'node:tls';
import { clusterKeys } from '../../cluster/secure.ts';
import { splitAddress } from '../../http/listen-address.ts';
import { listServerAddresses } from '../../platform/database/postgres/inspect.ts';
import { messageOf } from '../../platform/errors.ts';
import { createSecrets } from '../../platform/secrets/secrets.ts';
import type { Config } from '../config/settings.ts';
import { whatProcessesRequire } from '../processes.ts';
import { checkListen } from './check-machine.ts';
import { bad, good, warning, type Finding } from './finding.ts';

const WHAT = 'Other servers';
const WAIT_MS = 5000;
/** Microseconds: a running server sends a heartbeat every five seconds. */
const ALIVE = 60_000_000;

export async function checkCluster(config: Config): Promise<Finding[]> {
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
  if (config['Secrets.Key'] === '')
    return [
      warning(
        WHAT,
        'not tried: Secrets.Key is not set, and servers with keys of their own do not take each other for theirs',
        'Set Secrets.Key to the same value on all servers.',
      ),
    ];
  const { connecting } = clusterKeys(createSecrets(config['Secrets.Key']));
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
    await checkListen({ what: 'Cluster port', setting: 'Cluster.Listen', config, isOurs }),
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
