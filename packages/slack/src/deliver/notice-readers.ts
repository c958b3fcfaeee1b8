// Reads the task of a deploy: with the key of whoever started it in Slack, else with the bot's own.
import { type Client, NoAnswerError, RefusedError } from '@pressroom/api/client';
import type { NoticeReader } from './announce-deploy.ts';
import type { Notice } from '../store/notices.ts';
import type { ContentClients } from '../link/content-clients.ts';

export function createNoticeReaders(clients: ContentClients): (notice: Notice) => Promise<NoticeReader> {
  return async ({ team, slack_user }) => {
    const candidates = async (): Promise<Client[]> => {
      const linked = slack_user === null ? null : await clients.ofLink(team, slack_user);
      return [linked?.client ?? null, clients.service].filter((client) => client !== null);
    };
    /** A key may be revoked, or its owner locked, while a deploy runs: then the next key is tried. */
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
        message: 'The bot has no API key that can read this task.',
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
