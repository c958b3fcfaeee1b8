// Looks again and again: for unannounced deploys and deleted content, due digests, and closed channels.
import type { ClientClock } from '@pressroom/api/client';
import type { Services } from '../../services.ts';
import type { StartedDeploy } from '../deploys/announce-in-channels.ts';
import { postDigests } from '../digests/post-digests.ts';
import { endInClosedChannels } from '../subscriptions/closed-channels.ts';
import { slackFailure } from '../transport/slack-failure.ts';
import { scanAuditLog } from './scan-audit-log.ts';

export interface Watcher extends AsyncDisposable {
  /** Reads the audit log once, now. */
  scan(): Promise<void>;
  digests(): Promise<void>;
  /** Ends subscriptions of channels that are closed to the bot. */
  closedChannels(): Promise<void>;
}

export interface WatcherOptions {
  readonly services: Services;
  readonly clock: ClientClock;
  /** Milliseconds between two scans; 0 for none. */
  readonly every: number;
  /** Whether the audit log is read; false if the server sends events. */
  readonly scans: boolean;
  /** The channel that gets all deploys; null for none. */
  readonly channel: () => Promise<StartedDeploy['channel']>;
}

const MAX_PAUSE_MS = 60_000;

export function createWatcher({ services, clock, every, scans, channel }: WatcherOptions): Watcher {
  const stop = new AbortController();
  const looking = { services, clock, signal: stop.signal };
  const scan = () => scanAuditLog(looking);
  const digests = () => postDigests(looking);
  const closedChannels = async () => endInClosedChannels(services, await channel());

  async function forever(): Promise<void> {
    for (let failures = 0; !stop.signal.aborted;) {
      try {
        await closedChannels();
        if (scans) await scan();
        await digests();
        failures = 0;
      } catch (error) {
        if (stop.signal.aborted) return;
        failures += 1;
        services.log.warn({ err: error, word: slackFailure(error).word }, 'watching failed');
      }
      await clock.sleep(Math.min(every * 2 ** Math.min(failures, 4), MAX_PAUSE_MS), stop.signal);
    }
  }
  const running = every === 0 ? Promise.resolve() : forever().catch(() => undefined);

  return {
    scan,
    digests,
    closedChannels,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}
