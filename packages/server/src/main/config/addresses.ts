// Lists of addresses and networks in settings.
import { BlockList, isIP } from 'node:net';

export interface AddressList {
  has(address: string | undefined): boolean;
}

/** @param list comma-separated addresses, optionally with a prefix length. @throws for anything else */
export function parseAddresses(list: string): AddressList {
  const addresses = new BlockList();
  for (const item of list.split(',').map((part) => part.trim())) {
    if (item === '') continue;
    const [, ip = '', bits] = /^([^/]+)(?:\/(\d+))?$/.exec(item) ?? [];
    const family = isIP(ip) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) addresses.addAddress(ip, family);
    else addresses.addSubnet(ip, Number(bits), family);
  }
  return {
    has(address) {
      // Dual-stack sockets return IPv4 addresses in this form.
      const ip = address?.replace(/^::ffff:/, '') ?? '';
      const family = isIP(ip);
      return family !== 0 && addresses.check(ip, family === 6 ? 'ipv6' : 'ipv4');
    },
  };
}

export type PlainProtocol = 'http:' | 'ldap:';

/** `https:` for `http:`, and so on. */
export const encrypted = (plain: PlainProtocol): string => plain.replace(':', 's:');

/** Whether credentials may be sent there: encrypted, or within the machine. */
export function isSecure({ protocol, hostname }: URL, plain: PlainProtocol): boolean {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return protocol === encrypted(plain) || (protocol === plain && isLocal);
}
