// Settings of proxied authentication: trusted proxies, and header names.
import { ADDRESSES } from '../../../main/config/setting-forms.ts';
import { formed, secret, text } from '../../../main/config/setting-kinds.ts';

export const PROXIED_SETTINGS = {
  'ProxyAuth.TrustedProxies': formed(
    '',
    ADDRESSES,
    'Addresses of proxies whose identity headers are trusted, comma-separated',
  ),
  'ProxyAuth.Secret': secret(
    'Shared secret that trusted proxies send, so that content on this machine cannot impersonate them; at least 16 characters; required if a trusted proxy runs on this machine',
  ),
  'ProxyAuth.SecretHeader': text('X-Proxy-Secret', 'Header that carries ProxyAuth.Secret'),
  'ProxyAuth.UsernameHeader': text('X-Auth-Username', 'Header that carries the username'),
  'ProxyAuth.UniqueIdHeader': text('', 'Header that carries a unique id under proxied authentication'),
  'ProxyAuth.EmailHeader': text('', 'Header that carries the e-mail address; empty: edited on this server'),
  'ProxyAuth.FirstNameHeader': text('', 'Header that carries the first name; empty: edited on this server'),
  'ProxyAuth.LastNameHeader': text('', 'Header that carries the last name; empty: edited on this server'),
  'ProxyAuth.GroupsHeader': text(
    '',
    'Header with the groups of the user, comma-separated, created and joined at sign-in; empty: groups are managed on this server',
  ),
  'ProxyAuth.Cookies': text(
    '_oauth2_proxy, mod_auth_openidc_',
    'Beginnings of the names of cookies of the proxy, comma-separated: content does not see them',
  ),
  'ProxyAuth.SignOutURL': text('', 'URL to visit after signing out, to end the session of the proxy'),
} as const;
