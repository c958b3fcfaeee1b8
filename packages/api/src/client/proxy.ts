// The proxy for a server, read from the environment as by curl and others.
import { ClientOptionsError } from './failures.ts';

export interface ProxyChoice {
  /** For undici's EnvHttpProxyAgent; empty strings keep it from reading the process's environment. */
  httpProxy: string;
  httpsProxy: string;
  noProxy: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param scheme of the server, `http:` or `https:`; only the variable for that scheme counts, then ALL_PROXY.
 * @param proxy an address that overrides the environment, or false for none.
 * Throws ClientOptionsError, whose message has no credentials.
 */
export function chooseProxy(scheme: string, env: Environment, proxy?: string | false): ProxyChoice {
  const none = { httpProxy: '', httpsProxy: '', noProxy: '' };
  if (proxy === false) return none;
  const either = (name: string) => env[name] || env[name.toUpperCase()] || '';
  const fromEnvironment = either(scheme === 'https:' ? 'https_proxy' : 'http_proxy') || either('all_proxy');
  const address = withScheme(proxy ?? fromEnvironment);
  if (address === '') return none;
  return {
    ...none,
    [scheme === 'https:' ? 'httpsProxy' : 'httpProxy']: address,
    noProxy: proxy === undefined ? either('no_proxy') : '',
  };
}

/** Those of undici. */
const PROTOCOLS = new Set(['http:', 'https:', 'socks:', 'socks5:']);

function withScheme(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  const hint = 'Look at the variables HTTPS_PROXY, HTTP_PROXY and ALL_PROXY.';
  const url = URL.parse(address);
  if (url === null) throw new ClientOptionsError('The address of the proxy is not a URL.', hint);
  if (!PROTOCOLS.has(url.protocol))
    throw new ClientOptionsError(`${url.protocol}// is not the address of a proxy.`, hint);
  return address;
}
