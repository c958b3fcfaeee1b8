// Live logs of processes of published content: an output channel for each content item followed.
import { type ClientClock, systemClock } from '@pressroom/api/client';
import type { StoredRecord } from '@pressroom/api/publish';
import { l10n, window, type Disposable, type LogOutputChannel } from 'vscode';
import type { History } from '../store/history.ts';
import { explain } from '../ui/explain.ts';
import { showInformationMessage } from '../ui/messages.ts';

export interface FollowedLogs extends Disposable {
  /** Shows the channel, and writes to it until the process ends. */
  follow(content: Pick<StoredRecord, 'server' | 'guid' | 'name'>): Promise<void>;
}

/** Seconds that the server waits for more. */
const WAIT_S = 15;
/** Milliseconds between two requests: a busy process must not cause one per line. */
const BREATH_MS = 100;

/** @param sleep rejects once the signal is aborted */
export function createFollowedLogs(
  history: Pick<History, 'processes' | 'nextLines'>,
  sleep: ClientClock['sleep'] = systemClock.sleep,
): FollowedLogs {
  const channels = new Map<string, LogOutputChannel>();
  const following = new Map<string, AbortController>();

  function channelFor(id: string, name: string): LogOutputChannel {
    const channel =
      channels.get(id) ?? window.createOutputChannel(l10n.t('Pressroom: {0}', name), { log: true });
    channels.set(id, channel);
    return channel;
  }

  return {
    async follow({ server, guid, name }) {
      const id = `${server} ${guid}`;
      const [job] = await history.processes({ server, guid });
      if (job === undefined) {
        void showInformationMessage(l10n.t('No process has run for {0} yet.', name));
        return;
      }
      following.get(id)?.abort();
      const stop = new AbortController();
      following.set(id, stop);
      const channel = channelFor(id, name);
      channel.show(true);
      channel.info(l10n.t('Process {0} of bundle {1}', job.pid, job.bundle_id));
      try {
        for (let first = 0; ;) {
          const { lines, last, finished } = await history.nextLines({ server, guid }, job.key, {
            first,
            wait: first === 0 ? 0 : WAIT_S,
            signal: stop.signal,
          });
          for (const line of lines) channel.info(line);
          if (finished) return channel.info(l10n.t('The process has ended.'));
          first = last;
          await sleep(BREATH_MS, stop.signal);
        }
      } catch (error) {
        // Another process is followed instead, or the window closes.
        if (!stop.signal.aborted) channel.error(explain(error));
      }
    },
    dispose() {
      for (const stop of following.values()) stop.abort();
      for (const channel of channels.values()) channel.dispose();
    },
  };
}
