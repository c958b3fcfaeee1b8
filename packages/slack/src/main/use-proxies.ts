// Requests to Slack take the proxy of the environment, as those to the content server do.
import { setGlobalProxyFromEnv } from 'node:http';
import { ConfigError } from './config.ts';

/** For all but the socket, which has a connection of its own. @throws ConfigError */
export function useProxies(env: Readonly<Record<string, string | undefined>>): void {
  try {
    setGlobalProxyFromEnv(env);
  } catch (cause) {
    throw new ConfigError(
      'HTTPS_PROXY and HTTP_PROXY must be addresses such as http://proxy.example.com:3128',
      { cause },
    );
  }
}
