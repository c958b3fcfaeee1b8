// Settings of proxied authentication: which proxies are believed, and what their headers are called.
import { secret, text } from '../../../main/config/setting-kinds.ts';

export const PROXIED_SETTINGS = {
  'ProxyAuth.TrustedProxies': text(
    '',
    'Addresses of the proxies whose headers say who is visiting, comma-separated',
  ),
  'ProxyAuth.Secret': secret(
    'What a trusted proxy proves itself with, so that content on this machine cannot pass for it; at least 16 characters; required where a trusted proxy has an address of this machine',
  ),
  'ProxyAuth.SecretHeader': text('X-Proxy-Secret', 'Header that carries ProxyAuth.Secret'),
  'ProxyAuth.UsernameHeader': text('X-Auth-Username', 'Header that carries the username'),
  'ProxyAuth.UniqueIdHeader': text('', 'Header that carries a unique id under proxied authentication'),
  'ProxyAuth.EmailHeader': text('', 'Header that carries the e-mail address; empty: it is edited here'),
  'ProxyAuth.FirstNameHeader': text('', 'Header that carries the first name; empty: it is edited here'),
  'ProxyAuth.LastNameHeader': text('', 'Header that carries the last name; empty: it is edited here'),
  'ProxyAuth.GroupsHeader': text(
    '',
    'Header that lists groups, comma-separated: they are made, and joined, at sign-in; empty: groups are kept here',
  ),
  'ProxyAuth.SignOutURL': text('', 'Where signing out goes on, so that the proxy forgets the visitor too'),
} as const;
