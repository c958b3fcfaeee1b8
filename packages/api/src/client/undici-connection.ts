// A connection over undici: proxies and certificates of the environment, separate time limits per phase.
import { EnvHttpProxyAgent } from 'undici';
import { trustedAuthorities } from './certificates.ts';
import { chooseProxy } from './proxy.ts';
import type { Connection, TransportOptions } from './transport.ts';

/** Opens no connection before the first request. Throws ClientOptionsError. */
export function undiciConnection(options: TransportOptions): Connection {
  const ca = trustedAuthorities({ ca: options.ca, env: options.env, onWarning: options.onWarning });
  const connect = { timeout: options.timeouts.connect, ...(ca !== undefined && { ca }) };
  return new EnvHttpProxyAgent({
    ...chooseProxy(new URL(options.url).protocol, options.env, options.proxy),
    // HTTP/2 has no advantage here, and proxies differ in how they handle long uploads over it.
    allowH2: false,
    connect,
    requestTls: connect,
    proxyTls: connect,
    connectTimeout: options.timeouts.connect,
  });
}
