// Settings of OAuth2 and OpenID Connect.
import { secret, text } from '../../../main/config/setting-kinds.ts';

export const OAUTH2_SETTINGS = {
  'OAuth2.Issuer': text('', 'https://… of the OpenID Connect provider'),
  'OAuth2.ClientId': text('', 'Name of this server at the provider'),
  'OAuth2.ClientSecret': secret('Secret of this server at the provider'),
  'OAuth2.Scopes': text('openid profile email', 'What is asked for'),
  'OAuth2.UsernameClaim': text('preferred_username', 'Claim of the username'),
  'OAuth2.AllowedDomains': text(
    '',
    'Domains of verified addresses that may sign in, comma-separated; empty: any',
  ),
} as const;
