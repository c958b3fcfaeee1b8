// Reads the task of a deploy with the rights of the channel's subscriber; what that person may not read stays hidden.
import { type Client, NoResponseError } from '@pressroom/api/client';
import type { ContentClients } from '../../link/content-clients.ts';
import type { Notice } from '../../store/notices.ts';
import { isDenied, maySee } from '../subscriptions/content-seen.ts';
import type { NoticeReader } from './announcement.ts';

export function createNoticeReaders(clients: ContentClients): (notice: Notice) => NoticeReader {
  return ({ team, reader, content }) => {
    let hidden = false;
    const own = async (): Promise<Client | null> =>
      reader === null ? null : ((await clients.ofLink(team, reader))?.client ?? null);

    /** Tries with the reader's key, then with the bot's own; the work learns which. */
    async function first<T>(work: (client: Client, asReader: boolean) => Promise<T>): Promise<T> {
      const client = await own();
      const { service } = clients;
      if (client === null && service !== null) return work(service, false);
      if (client === null) {
        throw new NoResponseError({
          operation: 'getTask',
          server: clients.server,
          kind: 'aborted',
          message: 'The bot has no API key that can read this task.',
        });
      }
      try {
        return await work(client, true);
      } catch (error) {
        if (service === null || !isDenied(error)) throw error;
        return work(service, false);
      }
    }

    return {
      get isHidden() {
        return hidden;
      },
      maySee: async () => reader === null || maySee(clients, { team, slack_user: reader }, content),
      getTask: (args, options) =>
        first(async (client, asReader) => {
          if (asReader) {
            const task = await client.getTask(args, options);
            hidden = false;
            return task;
          }
          // Only whether and how it ended: the reader lacks the right to everything else.
          hidden = true;
          const task = await client.getTask({ ...args, first: 0 }, options);
          return { ...task, output: [], last: args.first ?? 0, error: '' };
        }),
      async recorded({ task }) {
        const deploys = await first((client) => client.getContentDeploys({ guid: content }));
        const found = deploys.find(({ task_id }) => task_id === task);
        if (!found) return null;
        const { started_time, finished_time } = found;
        // Older servers do not report commits.
        return {
          times:
            finished_time === null
              ? null
              : { started_time: Date.parse(started_time), finished_time: Date.parse(finished_time) },
          commit: found.commit ?? null,
        };
      },
      async outcome({ content: guid, bundle, started_time }) {
        const item = await first((client) => client.getContent({ guid }));
        // Content has its times in whole seconds.
        const since = Date.parse(item.last_deployed_time) >= Math.floor(started_time / 1000) * 1000;
        return since && (bundle === null || item.bundle_id === bundle) ? 'succeeded' : null;
      },
    };
  };
}
