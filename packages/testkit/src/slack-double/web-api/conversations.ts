// Methods about channels.
import type { DoubleMessage, Loose, Workspace } from '../workspace.ts';
import { type CheckFaults, type Checks, type Methods, shown } from './checks.ts';

export function conversationsMethods(
  space: Workspace,
  { channelOf, readable, find }: Checks,
  faults: CheckFaults,
): Methods {
  return {
    'conversations.join': (args) => {
      faults.outside = false;
      return { channel: { id: channelOf(args) } };
    },
    'conversations.history': (args) => {
      const channel = readable(args);
      const all = space.messages.filter(
        (message) =>
          message.channel === channel && !message.only && (!message.thread_ts || message.broadcast),
      );
      return page(all.toReversed(), args);
    },
    'conversations.replies': (args) => {
      const channel = readable(args);
      const parent = find(channel, args['ts']);
      const replies = space.messages.filter(
        (message) => message.channel === channel && message.thread_ts === parent.ts,
      );
      return page([parent, ...replies], { ...args, oldest: 0 });
    },
    'conversations.info': (args) => {
      const id = channelOf(args);
      return { channel: { id, name: space.channels.get(id), is_archived: faults.archived.has(id) } };
    },
    'conversations.open': (args) => {
      const id = `D${String(args['users'])}`;
      space.channels.set(id, `direct message`);
      return { channel: { id } };
    },
  };
}

const page = (messages: DoubleMessage[], args: Loose) => {
  const withMetadata = args['include_all_metadata'] === true || args['include_all_metadata'] === 'true';
  const oldest = Number(args['oldest'] ?? 0);
  const from = Number(args['cursor'] || 0);
  const limit = Number(args['limit'] ?? 100);
  const all = messages.filter((message) => Number(message.ts) >= oldest);
  const next = from + limit < all.length ? String(from + limit) : '';
  return {
    messages: all
      .slice(from, from + limit)
      .map((message) => (withMetadata ? shown(message) : { ...shown(message), metadata: undefined })),
    response_metadata: { next_cursor: next },
  };
};
