import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  isPrivate,
  isSameHost,
  reachableFirst,
  repositoryAddress,
  requireSecret,
  resolveHost,
} from './address.ts';

test.each([
  ['git@github.com:acme/reports.git', 'ssh://git@github.com/acme/reports.git'],
  ['git@GitHub.com:/acme/reports.git', 'ssh://git@github.com/acme/reports.git'],
  ['ssh://git@host.example:2222/r.git', 'ssh://git@host.example:2222/r.git'],
  ['ssh://host.example/r.git', 'ssh://git@host.example/r.git'],
  ['https://host.example/r.git', 'https://host.example/r.git'],
  ['https://host.example./r.git', 'https://host.example/r.git'],
  ['https://host.example..:8443/r.git', 'https://host.example:8443/r.git'],
])('stores %s as %s', (given, stored) => {
  expect(repositoryAddress(given)).toBe(stored);
});

test.each([
  'ssh://git:secret@host.example/r.git',
  'ssh://-oProxyCommand=x@host.example/r.git',
  'ssh://git@-oProxyCommand=x/r.git',
  'ssh://git@host.example',
  'ssh://git@host.example/r.git?x',
  '-oProxyCommand=x@host:r',
  'git@host:r:s',
  'https://-host.example/r.git',
  'https://+host.example/r.git',
  'file:///etc',
  'ext::sh -c id',
  '/srv/r.git',
])('rejects the repository address %s', (given) => {
  expect(() => repositoryAddress(given)).toThrow(/repository must/);
});

test('rejects a private address over SSH unless a setting names its host', async () => {
  await expect(resolveHost('ssh://git@127.0.0.1/r.git', '')).rejects.toMatchObject({ code: 22 });
  expect(await resolveHost('ssh://git@127.0.0.1/r.git', '127.0.0.1')).toEqual({
    host: '127.0.0.1',
    port: '22',
    ips: ['127.0.0.1'],
  });
});

test('requires a deploy key over SSH and treats SSH and HTTPS as different hosts', () => {
  expect(() => requireSecret('ssh://git@host.example/r.git')).toThrow('deploy key');
  expect(isSameHost('ssh://git@a.example/x', 'ssh://git@a.example/y')).toBe(true);
  expect(isSameHost('ssh://git@a.example/x', 'https://a.example/x')).toBe(false);
});

test.each([
  '127.0.0.1',
  '169.254.169.254',
  '192.88.99.1',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:7f00:1',
  '::ffff:0:a00:1',
  '64:ff9b::a00:1',
  '2002:a00:1::',
  'fd00::1',
  'fe80::1',
  'fec0::1',
])('classifies %s as private', (ip) => expect(isPrivate(ip)).toBe(true));

test.each(['8.8.8.8', '172.32.0.1', '::ffff:8.8.8.8', '2a00:1450:4001:830::200e'])(
  'classifies %s as public',
  (ip) => expect(isPrivate(ip)).toBe(false),
);

describe('Of several addresses of a host', () => {
  const placeAt = (server: Server, ...ips: [string, ...string[]]) => ({
    host: 'git.example',
    port: String((server.address() as AddressInfo).port),
    ips,
  });

  test('ssh, which tries one, gets one that accepts connections', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).resume());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    // Nothing listens at the first two.
    const place = placeAt(server, '::1', '127.0.0.2', '127.0.0.1');
    expect((await reachableFirst(place)).ips).toEqual(['127.0.0.1', '::1', '127.0.0.2']);
    server.close();
  });

  test('it gets the first if none does', async () => {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const place = placeAt(server, '127.0.0.2', '127.0.0.3');
    expect(await reachableFirst(place)).toEqual(place);
    server.close();
  });
});
