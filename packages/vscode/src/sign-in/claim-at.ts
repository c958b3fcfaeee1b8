// Claims a token, with Node.js.
import { DEFAULT_TIMEOUTS, nodeConnection, systemClock } from '@pressroom/api/client';
import type { BrowserSignInParts } from './browser-sign-in.ts';
import { claimToken } from './claim-token.ts';

/** With a separate connection: these requests are not signed with an API key. */
export function claimAt(server: string): BrowserSignInParts['claim'] {
  return async (clientName, onPage, signal) => {
    const connection = nodeConnection({
      url: server,
      apiKey: undefined,
      userAgent: '',
      timeouts: DEFAULT_TIMEOUTS,
      ca: undefined,
      proxy: undefined,
      env: {},
      clock: systemClock,
      onWarning: () => undefined,
    });
    try {
      return await claimToken({ server, connection, clientName, onPage, signal });
    } finally {
      await connection.destroy();
    }
  };
}
