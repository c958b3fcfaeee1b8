// Who reads the task of a deploy: the person who started it in Slack, else the bot's own key.
import { NoAnswerError, RefusedError, type Client } from '@pressroom/api';
import type { NoticeReader } from './announcer.ts';
import type { Notice } from '../store/notices.ts';
import type { ContentClients } from '../link/content-clients.ts';

export function createNoticeReaders(clients: ContentClients): (notice: Notice) => Promise<NoticeReader> {
  return async ({ team, slack_user }) => {
    const candidates = async (): Promise<Client[]> => {
      const linked = slack_user === null ? null : await clients.ofLink(team, slack_user);
      return [linked?.client ?? null, clients.service].filter((client) => client !== null);
    };
    /** A key may be revoked, or its owner locked, while a deploy runs: the next one goes on. */
    async function first<T>(work: (client: Client) => Promise<T>): Promise<T> {
      const all = await candidates();
      for (const [i, client] of all.entries()) {
        try {
          return await work(client);
        } catch (error) {
          const refused = error instanceof RefusedError && (error.status === 401 || error.status === 403);
          if (!refused || i === all.length - 1) throw error;
        }
      }
      throw new NoAnswerError({
        operation: 'getTask',
        server: clients.server,
        kind: 'aborted',
        message: 'Nobody whose key is known here may read this task.',
      });
    }
    return {
      getTask: (args, options) => first((client) => client.getTask(args, options)),
      async outcome({ content, bundle, started_time }) {
        const item = await first((client) => client.getContent({ guid: content }));
        const since = Date.parse(item.last_deployed_time) >= started_time;
        return since && (bundle === null || item.bundle_id === bundle) ? 'succeeded' : null;
      },
    };
  };
}
