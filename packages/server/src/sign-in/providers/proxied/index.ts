// Proxied authentication: a trusted proxy signs people in and names them in headers.
import type { IncomingHttpHeaders } from 'node:http';
import { networkInterfaces } from 'node:os';
import { errors } from '@pressroom/api/contract';
import { trimBlanks } from '../../../http/read-cookie.ts';
import { parseAddresses, type AddressList } from '../../../main/config/addresses.ts';
import { ConfigError } from '../../../main/config/load-config.ts';
import { listOf } from '../../../main/config/setting-kinds.ts';
import type { Config, SettingName } from '../../../main/config/settings.ts';
import { isSameSecret } from '../../same-secret.ts';
import type { ProfileField, ProviderParts, SignInProvider } from '../provider.ts';
import { requireSettings } from '../required.ts';

const MIN_SECRET_LENGTH = 16;
const HEADER_NAME = /^[A-Za-z0-9-]{1,100}$/;
/** Schemes that browsers answer a proxy with. */
const SENT_BY_BROWSERS = /^(basic|digest|negotiate|ntlm)\b/i;
const PROFILE: readonly (readonly [ProfileField, SettingName])[] = [
  ['email', 'ProxyAuth.EmailHeader'],
  ['first_name', 'ProxyAuth.FirstNameHeader'],
  ['last_name', 'ProxyAuth.LastNameHeader'],
];

export function createProxied({ config }: ProviderParts): SignInProvider {
  requireSettings(config, ['ProxyAuth.TrustedProxies', 'ProxyAuth.UsernameHeader']);
  const proxies = parseAddresses(config['ProxyAuth.TrustedProxies']);
  const secret = config['ProxyAuth.Secret'];
  const secretHeader = headerName(config, 'ProxyAuth.SecretHeader');
  requireProof(config, proxies);
  const cookies = listOf(config['ProxyAuth.Cookies']);
  const usernameHeader = headerName(config, 'ProxyAuth.UsernameHeader');
  const idHeader = headerName(config, 'ProxyAuth.UniqueIdHeader');
  const groupsHeader = headerName(config, 'ProxyAuth.GroupsHeader');
  const profile = PROFILE.map(([field, setting]) => [field, headerName(config, setting)] as const).filter(
    ([, name]) => name !== '',
  );
  const names = [usernameHeader, idHeader, groupsHeader, ...profile.map(([, name]) => name)].filter(
    (name) => name !== '',
  );

  return {
    kind: 'proxied',
    signIn: {
      by: 'header',
      names,
      signOutUrl: config['ProxyAuth.SignOutURL'],
      scrub({ headers, socket }) {
        hideCookies(headers, cookies);
        const proof = headers[secretHeader];
        // Later code never sees it, right or wrong.
        if (secretHeader !== '') delete headers[secretHeader];
        if (proxies.has(socket.remoteAddress) && (secret === '' || isSameSecret(proof, secret))) {
          // The proxy has checked it: content, which gets the visitor's headers, must not see passwords.
          if (SENT_BY_BROWSERS.test(headers.authorization ?? '')) delete headers.authorization;
          return;
        }
        for (const name of names) delete headers[name];
      },
      read(headers) {
        const username = valueOf(headers, usernameHeader);
        const unique_id = idHeader === '' ? null : valueOf(headers, idHeader);
        if (username === '' && !unique_id) return null;
        if (username === '') throw errors.invalidProviderUsername();
        if (unique_id === '') throw errors.userUniqueIdBlank();
        const values = profile.map(([field, name]) => [field, valueOf(headers, name)] as const);
        return {
          username,
          unique_id,
          profile: Object.fromEntries(values),
          ...(groupsHeader !== '' && { groups: groupsIn(valueOf(headers, groupsHeader)) }),
        };
      },
    },
    profileFields: profile.map(([field]) => field),
    needsUniqueId: idHeader !== '',
    groups: groupsHeader === '' ? 'kept' : 'provisioned',
    directory: null,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/**
 * Content can connect from every address of this machine: for a proxy on it, the address alone proves nothing.
 * @throws ConfigError
 */
function requireProof(config: Config, proxies: AddressList): void {
  const secret = config['ProxyAuth.Secret'];
  if (secret !== '') {
    if (secret.length < MIN_SECRET_LENGTH)
      throw new ConfigError(`ProxyAuth.Secret must have at least ${MIN_SECRET_LENGTH} characters`);
    if (config['ProxyAuth.SecretHeader'] === '')
      throw new ConfigError('ProxyAuth.SecretHeader must be the name of a header');
    return;
  }
  // The address suffices only if content certainly has no access to our network.
  if (!config['Applications.NetworkAccess'] && config['Isolation.Mode'] === 'required') return;
  const own = ownAddresses(config).find((address) => proxies.has(address));
  if (own === undefined) return;
  throw new ConfigError(
    `ProxyAuth.Secret must be set: ${own} of ProxyAuth.TrustedProxies is an address of this machine, which content ` +
      'can use too. Let the proxy send it in the header that ProxyAuth.SecretHeader names',
  );
}

/** All addresses in 127.0.0.0/8 belong to this machine; only trusted ones are listed. */
function ownAddresses(config: Config): string[] {
  const loopback = config['ProxyAuth.TrustedProxies'].match(/\b127\.[\d.]+/g) ?? [];
  const interfaces = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return ['127.0.0.1', '::1', ...loopback, ...interfaces.map(({ address }) => address)];
}

/** With the session of the proxy, content could come through it as its visitor. */
function hideCookies(headers: IncomingHttpHeaders, begins: readonly string[]): void {
  const { cookie } = headers;
  if (cookie === undefined) return;
  const isHidden = (pair: string) => {
    const name = pair.trim().replace(/^__(?:Host|Secure)-/, '');
    return begins.some((begin) => name.startsWith(begin));
  };
  const pairs = cookie.split(';');
  const kept = pairs.filter((pair) => !isHidden(pair));
  if (kept.length === pairs.length) return;
  if (kept.length === 0) delete headers.cookie;
  else headers.cookie = kept.join(';').trim();
}

function headerName(config: Config, setting: SettingName): string {
  const name = String(config[setting]);
  if (name === '' || HEADER_NAME.test(name)) return name.toLowerCase();
  throw new ConfigError(`${setting} must be the name of a header`);
}

/**
 * Node decodes headers as Latin-1; proxies send UTF-8. Repeated headers are joined, and match nobody. Node has removed
 * the spaces and tabs around it: other blanks, and a byte order mark, are part of a name that belongs to somebody else.
 */
function valueOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  if (typeof value !== 'string') return '';
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

/** By name only: proxies send nothing else. */
function groupsIn(list: string) {
  const names = new Set(list.split(',').map(trimBlanks));
  names.delete('');
  return [...names].map((name) => ({ name, unique_id: `proxied:${name.toLowerCase()}` }));
}
