// Keeps the socket to Slack open. Slack's own client gives up, and ends the process, if Slack is down while it
// reconnects.
import type { ClientClock } from '@pressroom/api/client';
import type { SocketModeReceiver } from '@slack/bolt';
import type { Logger } from 'pino';

type SocketClient = SocketModeReceiver['client'];

const FIRST_PAUSE = 100;
const MAX_PAUSE_MS = 30_000;

/** Connects, and reconnects until stopped. The client must not reconnect by itself. */
export function keepSocketOpen(
  client: SocketClient,
  clock: ClientClock,
  log: Logger,
): { stop(): Promise<void> } {
  const stopped = new AbortController();

  async function forever(): Promise<void> {
    for (let failures = 0; !stopped.signal.aborted;) {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const gone = () => resolve();
      client.once('disconnected', gone);
      try {
        await client.start();
        failures = 0;
        await ended;
        log.debug('the socket to Slack closed');
      } catch (error) {
        failures += 1;
        log.warn({ err: error }, 'connecting the socket to Slack failed');
      } finally {
        client.off('disconnected', gone);
      }
      const pause = Math.min(FIRST_PAUSE * 2 ** Math.min(failures, 10), MAX_PAUSE_MS);
      await clock.sleep(pause, stopped.signal).catch(() => undefined);
    }
  }
  const running = forever();

  return {
    async stop() {
      stopped.abort();
      await client.disconnect().catch(() => undefined);
      await running;
    },
  };
}
