// Addresses of repositories: checked as text first, and as resolved IP addresses before each fetch.
import { lookup } from 'node:dns/promises';
import { BlockList, connect, isIP } from 'node:net';
import { errors } from '@pressroom/api/contract';
import { isSecure } from '../main/config/addresses.ts';
import { listOf } from '../main/config/setting-kinds.ts';

/** Milliseconds for a connection to one of several addresses, and for all of them. */
const ATTEMPT_MS = 2000;
const CONNECT_MS = 10_000;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80', 'ssh:': '22' };

/** Networks that publishers must not reach through the server. */
const PRIVATE = new BlockList();
for (const network of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/32',
  '2001::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]) {
  const [address = '', bits] = network.split('/');
  PRIVATE.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
}

/** `git@host:path`, as Git hosts show it; the path is relative to the host's root. */
const SCP = /^([A-Za-z0-9_][\w.-]*)@([A-Za-z0-9][A-Za-z0-9.-]*):\/?([^/:][^:]*)$/;

/** Normalised for storage. @throws ApiError 25 for anything but an http or ssh address, or one with a password */
export function repositoryAddress(text: string): string {
  const scp = SCP.exec(text);
  const whole = scp ? `ssh://${scp[1]}@${scp[2]}/${scp[3]}` : text;
  const url = URL.canParse(whole) ? new URL(whole) : null;
  if (url === null || DEFAULT_PORTS[url.protocol] === undefined || /[\s\\\p{Cc}]/u.test(text))
    throw refused(
      'repository must be an address that begins with https://, http:// or ssh://, or git@host:path',
    );
  if (url.protocol === 'ssh:') return sshAddress(url);
  // curl before 7.82 drops a dot at the end, so that it would not find the address that `resolveHost` checked under this
  // name, and ask the DNS again.
  url.hostname = url.hostname.replace(/\.+$/, '');
  // curl takes these signs for instructions about the address that it is given, and would ask the DNS again.
  if (/^[+-]/.test(url.hostname))
    throw refused('repository must not be on a host whose name begins with + or -');
  if (url.username !== '' || url.password !== '')
    throw refused('repository must not contain a user or a password: send them as username and token');
  if (url.search !== '' || url.hash !== '') throw refused('repository must not have a query or a fragment');
  return url.href;
}

export const isSsh = (address: string): boolean => address.startsWith('ssh://');

/** Rejects users and hosts that ssh would parse as an option. */
function sshAddress(url: URL): string {
  if (url.password !== '') throw refused('repository must not contain a password');
  if (url.search !== '' || url.hash !== '') throw refused('repository must not have a query or a fragment');
  const user = url.username || 'git';
  const isHost = /^(?:[a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])$/i.test(url.hostname);
  if (!/^\w[\w.-]*$/.test(user) || !isHost || url.pathname.length < 2)
    throw refused('repository must be ssh://user@host/path');
  url.username = user;
  url.hostname = url.hostname.toLowerCase();
  return url.href;
}

/** Whether both are on one server, which has one set of host keys. */
export function isSameHost(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)];
  return a.protocol === b.protocol && a.host === b.host;
}

/** @throws ApiError 25 if a token would be sent unencrypted */
export function requireSecret(address: string): void {
  if (isSsh(address)) throw refused('a token is for https:// addresses: over ssh the deploy key is used');
  if (!isSecure(new URL(address), 'http:')) throw refused('a token is sent over https:// only');
}

/** @throws ApiError 25 for an invalid branch name */
export function branchName(text: string): string {
  const isBad =
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\.lock(?:\/|$)/.test(text) ||
    /^[-/.]|\/\.|[/.]$|^@$/.test(text);
  if (isBad) throw refused('branch must be the name of a branch, such as main');
  return text;
}

/** Normalised; `.` for the root. @throws ApiError 25 for a path outside the repository */
export function directoryPath(text: string): string {
  const parts = text.split('/').filter((part) => part !== '' && part !== '.');
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  const isBad = /[\u0000-\u001f\u007f\\]/.test(text) || text.startsWith('/');
  if (isBad || parts.some((part) => part === '..' || part.toLowerCase() === '.git'))
    throw refused('directory must be a path within the repository');
  return parts.join('/') || '.';
}

export interface Place {
  readonly host: string;
  readonly port: string;
  /** The IP addresses to connect to, in order of preference, whatever the name resolves to later. */
  readonly ips: readonly [first: string, ...others: string[]];
}

/**
 * Resolves the host, so that git connects to no other than the checked addresses.
 * @throws ApiError 22 for a private address of a host that no setting allows, 1 if the host cannot be resolved
 */
export async function resolveHost(address: string, privateHosts: string): Promise<Place> {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const found = await lookup(host, { all: true }).catch(() => []);
  const [first, ...others] = found.map(({ address: ip }) => ip);
  if (first === undefined) throw errors.internal({ message: `unreachable: there is no host ${host}` });
  const allowed = listOf(privateHosts.toLowerCase());
  if (!allowed.includes(host) && [first, ...others].some(isPrivate))
    throw errors.operationDenied({
      message: `${host} has a private address: an administrator must name it in Git.PrivateHosts`,
    });
  const port = url.port || DEFAULT_PORTS[url.protocol]!;
  return { host, port, ips: [first, ...others] };
}

/**
 * With an address that accepts connections in front, for programs that try only the first one, such as ssh. Unchanged
 * if none does: they say why.
 */
export async function reachableFirst(place: Place): Promise<Place> {
  const { host, port, ips } = place;
  if (ips.length === 1) return place;
  const socket = connect({
    host,
    port: Number(port),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    lookup: (_host, _options, done) =>
      done(
        null,
        ips.map((address) => ({ address, family: isIP(address) })),
      ),
  });
  const late = setTimeout(() => socket.destroy(), CONNECT_MS);
  try {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    socket
      .on('connect', () => resolve(socket.remoteAddress))
      .on('error', () => resolve(undefined))
      .on('close', () => resolve(undefined));
    const found = await promise;
    if (found === undefined) return place;
    return { ...place, ips: [found, ...ips.filter((ip) => ip !== found)] };
  } finally {
    clearTimeout(late);
    socket.destroy();
  }
}

export function isPrivate(ip: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined) return PRIVATE.check(mapped, 'ipv4');
  return PRIVATE.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4');
}

/** @param message begins with the field, unless it is about the token */
const refused = (message: string) => {
  const [field] = /^(?:repository|branch|directory)\b/.exec(message) ?? ['token'];
  return errors.invalidParameter({ message, field });
};
