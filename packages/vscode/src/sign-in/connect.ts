// A client for one server with the key that belongs to it.
import { type Client, type ClientOptions, createClientOver, nodeConnection } from '@pressroom/api/client';

export type Connect = (server: string, key: string | undefined) => Client;

/** node:https is what the editor gives its own proxy and certificates; the environment is left to it, too. */
export function createConnect(version: string, onNotice: ClientOptions['onNotice']): Connect {
  return (url, apiKey) =>
    createClientOver(
      { url, apiKey, userAgent: `pressroom-vscode/${version}`, ...(onNotice && { onNotice }) },
      nodeConnection,
    );
}
