// The table of providers: one kind, one folder.
import type { Provider } from '@pressroom/api';
import { createLdap } from './ldap/index.ts';
import { createOAuth2 } from './oauth2/index.ts';
import { createPam } from './pam/index.ts';
import { createPassword } from './password/index.ts';
import type { CreateProvider, ProviderParts, SignInProvider } from './provider.ts';
import { createProxied } from './proxied/index.ts';
import { createSaml } from './saml/index.ts';

const PROVIDERS: Readonly<Record<Provider, CreateProvider>> = {
  password: createPassword,
  pam: createPam,
  ldap: createLdap,
  oauth2: createOAuth2,
  saml: createSaml,
  proxied: createProxied,
};

/** @throws ConfigError */
export function createProvider(parts: ProviderParts): SignInProvider {
  return PROVIDERS[parts.config['Authentication.Provider']](parts);
}
