// Claiming a token over Node.js.
import { DEFAULT_TIMEOUTS, nodeConnection, systemClock } from '@pressroom/api/client';
import type { BrowserSignInParts } from './browser-sign-in.ts';
import { claimToken } from './claim-token.ts';

/** With a connection of its own: what signs these requests is no key. */
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
