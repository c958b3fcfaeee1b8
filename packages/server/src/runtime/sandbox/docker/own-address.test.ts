import { expect, test } from 'vitest';
import { ownAddressIn } from './own-address.ts';

const BRIDGE = [
  { Subnet: 'fd00::/64', Gateway: 'fd00::1' },
  { Subnet: '172.17.0.0/16', Gateway: '172.17.0.1' },
];

test.each([
  ['the machine', ['::1', '10.0.0.2', '172.17.0.1'], '172.17.0.1'],
  ['a machine whose bridge is down', ['127.0.0.1', '10.0.0.2'], '172.17.0.1'],
  ['a container of the network', ['127.0.0.1', 'fd00::3', '172.17.0.3'], '172.17.0.3'],
])('is the address of %s', (_where, own, address) => {
  expect(ownAddressIn(BRIDGE, own)).toBe(address);
});

test('is none in a network without addresses', () => {
  expect(ownAddressIn([], ['127.0.0.1'])).toBeNull();
});
