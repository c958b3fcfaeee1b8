// The address by which containers reach this server.
import { BlockList, isIPv4 } from 'node:net';

/** Of a network, as the engine describes it. */
export interface Subnet {
  /** Such as 172.17.0.0/16. */
  readonly Subnet?: string;
  /** The address of the machine. */
  readonly Gateway?: string;
}

/**
 * That of the container that this server runs in, or of the machine; null if it has none in the network.
 * @param own addresses of this server, without those of a bridge that is down
 */
export function ownAddressIn(subnets: readonly Subnet[], own: readonly string[]): string | null {
  const inside = new BlockList();
  for (const { Subnet = '' } of subnets) {
    const [network = '', bits] = Subnet.split('/');
    if (isIPv4(network)) inside.addSubnet(network, Number(bits));
  }
  const gateway = subnets.find(({ Gateway = '' }) => isIPv4(Gateway))?.Gateway;
  return own.find((address) => isIPv4(address) && inside.check(address)) ?? gateway ?? null;
}
