// Live logs of processes of published content: an output channel for each content item followed.
import { type ClientClock, systemClock } from '@pressroom/api/client';
import type { StoredRecord } from '@pressroom/api/publish';
import { l10n, window, type Disposable, type LogOutputChannel } from 'vscode';
import type { History } from '../store/history.ts';
import { explain } from '../ui/explain.ts';

export interface FollowedLogs extends Disposable {
  /** Shows the channel, and writes to it until the window closes, or the server refuses. */
  follow(content: Pick<StoredRecord, 'server' | 'guid' | 'name'>): Promise<void>;
}

/** Milliseconds between checks for new processes. */
const PAUSE_MS = 3000;

/** @param clock sleeps until the signal is aborted */
export function createFollowedLogs(
  history: Pick<History, 'followProcesses'>,
  clock: Pick<ClientClock, 'sleep' | 'random'> = systemClock,
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
      following.get(id)?.abort();
      const stop = new AbortController();
      const { signal } = stop;
      following.set(id, stop);
      const channel = channelFor(id, name);
      channel.show(true);
      try {
        await history.followProcesses(
          { server, guid },
          {
            signal,
            clock,
            pause: PAUSE_MS,
            onNone: () => channel.info(l10n.t('No process has run yet. Waiting for one…')),
            onStart: ({ key, bundle_id }) =>
              channel.info(l10n.t('Process {0} of bundle {1}', key, bundle_id)),
            onLines: (process, lines, shared) => {
              for (const { data } of lines) channel.info(shared ? `${process}  ${data}` : data);
            },
            onLost: (failure) => channel.warn(l10n.t('{0} Trying again…', explain(failure))),
            onBack: () => channel.info(l10n.t('The server responds again.')),
            onEnd: ({ key }) => channel.info(l10n.t('Process {0} has ended.', key)),
          },
        );
      } catch (error) {
        // It is followed anew, or the window closes.
        if (!signal.aborted) channel.error(explain(error));
      }
    },
    dispose() {
      for (const stop of following.values()) stop.abort();
      for (const channel of channels.values()) channel.dispose();
    },
  };
}
