// The sign-in providers, a folder each; only the configured one is loaded, as some have large dependencies.
import type { Provider } from '@pressroom/api/contract';
import type { CreateProvider, ProviderParts, SignInProvider } from './provider.ts';

const PROVIDERS: Readonly<Record<Provider, () => Promise<CreateProvider>>> = {
  password: async () => (await import('./password/index.ts')).createPassword,
  pam: async () => (await import('./pam/index.ts')).createPam,
  ldap: async () => (await import('./ldap/index.ts')).createLdap,
  oauth2: async () => (await import('./oauth2/index.ts')).createOAuth2,
  saml: async () => (await import('./saml/index.ts')).createSaml,
  proxied: async () => (await import('./proxied/index.ts')).createProxied,
};

/** @throws ConfigError */
export async function createProvider(parts: ProviderParts): Promise<SignInProvider> {
  const create = await PROVIDERS[parts.config['Authentication.Provider']]();
  return create(parts);
}
