// Keeps the socket to Slack open. Slack's own client gives up, and ends the process, if Slack is down while it
// reconnects.
import type { ClientClock } from '@pressroom/api/client';
import type { SocketModeReceiver } from '@slack/bolt';
import type { Logger } from 'pino';

type SocketClient = SocketModeReceiver['client'];

const FIRST_PAUSE = 100;
const MAX_PAUSE_MS = 30_000;

export interface Socket {
  /** Whether Slack can reach the bot through it. */
  readonly isOpen: boolean;
  stop(): Promise<void>;
}

/** Connects, and reconnects until stopped. The client must not reconnect by itself. */
export function keepSocketOpen(client: SocketClient, clock: ClientClock, log: Logger): Socket {
  const stopped = new AbortController();
  let isOpen = false;

  async function forever(): Promise<void> {
    for (let failures = 0; !stopped.signal.aborted;) {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const gone = () => resolve();
      client.once('disconnected', gone);
      try {
        await client.start();
        failures = 0;
        isOpen = true;
        await ended;
        log.debug('the socket to Slack closed');
      } catch (error) {
        failures += 1;
        log.warn({ err: error }, 'connecting the socket to Slack failed');
      } finally {
        isOpen = false;
        client.off('disconnected', gone);
      }
      const pause = Math.min(FIRST_PAUSE * 2 ** Math.min(failures, 10), MAX_PAUSE_MS);
      await clock.sleep(pause, stopped.signal).catch(() => undefined);
    }
  }
  const running = forever();

  return {
    get isOpen() {
      return isOpen;
    },
    async stop() {
      stopped.abort();
      await client.disconnect().catch(() => undefined);
      await running;
    },
  };
}
