// How Slack reaches the bot: through a socket that the bot opens, or by HTTP.
import { HTTPReceiver, SocketModeReceiver, type Logger } from '@slack/bolt';
import type { WebClientOptions } from '@slack/web-api';
import { EnvHttpProxyAgent } from 'undici';
import type { BotConfig } from './config.ts';
import type { Authorizer } from './install/authorizer.ts';

export function createReceiver(
  receive: BotConfig['receive'],
  { installer }: Authorizer,
  clientOptions: WebClientOptions,
  logger: Logger,
): SocketModeReceiver | HTTPReceiver {
  if (receive.kind !== 'socket')
    return new HTTPReceiver({ signingSecret: receive.signingSecrets[0] ?? '', logger, ...installer });
  return new SocketModeReceiver({
    appToken: receive.appToken,
    logger,
    autoReconnectEnabled: false,
    // The proxy of the environment. It is a tunnel, also without TLS.
    dispatcher: new EnvHttpProxyAgent({ allowH2: false, proxyTunnel: true }),
    // With a `fetch` of its own, it leaves the options as they are.
    installerOptions: { clientOptions: { ...clientOptions, fetch: globalThis.fetch } },
  });
}
