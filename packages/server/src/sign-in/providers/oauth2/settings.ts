// OAuth2 and OpenID Connect settings.
import { secret, text } from '../../../main/config/setting-kinds.ts';

export const OAUTH2_SETTINGS = {
  'OAuth2.Issuer': text('', 'https://… of the OpenID Connect provider'),
  'OAuth2.ClientId': text('', 'Client ID'),
  'OAuth2.ClientSecret': secret('Client secret'),
  'OAuth2.Scopes': text('openid profile email', 'Requested scopes'),
  'OAuth2.UsernameClaim': text('preferred_username', 'Claim of the username'),
  'OAuth2.AllowedDomains': text(
    '',
    'Domains of verified email addresses that can sign in, comma-separated; empty: any',
  ),
} as const;
