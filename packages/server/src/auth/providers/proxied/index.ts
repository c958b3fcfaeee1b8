// Proxied authentication: a trusted proxy in front signs people in and says in headers who they are.
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@pressroom/api';
import { parseAddresses } from '../../../config/addresses.ts';
import { ConfigError } from '../../../config/load-config.ts';
import type { Config, SettingName } from '../../../config/settings.ts';
import type { ProfileField, ProviderParts, SignInProvider } from '../provider.ts';
import { requireSettings } from '../required.ts';

const HEADER_NAME = /^[A-Za-z0-9-]{1,100}$/;
const PROFILE: readonly (readonly [ProfileField, SettingName])[] = [
  ['email', 'ProxyAuth.EmailHeader'],
  ['first_name', 'ProxyAuth.FirstNameHeader'],
  ['last_name', 'ProxyAuth.LastNameHeader'],
];

export function createProxied({ config }: ProviderParts): SignInProvider {
  requireSettings(config, ['ProxyAuth.TrustedProxies', 'ProxyAuth.UsernameHeader']);
  const proxies = parseAddresses(config['ProxyAuth.TrustedProxies']);
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
        if (proxies.has(socket.remoteAddress)) return;
        for (const name of names) delete headers[name];
      },
      read(headers) {
        const username = valueOf(headers, usernameHeader);
        const unique_id = idHeader === '' ? null : valueOf(headers, idHeader);
        if (username === '' && !unique_id) return null;
        if (username === '') throw new ApiError(91);
        if (unique_id === '') throw new ApiError(129);
        const said = profile.map(([field, name]) => [field, valueOf(headers, name)] as const);
        return {
          username,
          unique_id,
          profile: Object.fromEntries(said),
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

function headerName(config: Config, setting: SettingName): string {
  const name = String(config[setting]);
  if (name === '' || HEADER_NAME.test(name)) return name.toLowerCase();
  throw new ConfigError(`${setting} must be the name of a header`);
}

/** Node reads headers as Latin-1; proxies send UTF-8. Repeated ones are joined, and fit nobody. */
function valueOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  if (typeof value !== 'string') return '';
  const bytes = Buffer.from(value, 'latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
  } catch {
    return value.trim();
  }
}

/** By name alone: that is all a proxy says of them. */
function groupsIn(list: string) {
  const names = new Set(list.split(',').map((name) => name.trim()));
  names.delete('');
  return [...names].map((name) => ({ name, unique_id: `proxied:${name.toLowerCase()}` }));
}
