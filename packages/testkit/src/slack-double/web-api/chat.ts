// Methods that post and edit messages.
import type { DoubleMessage, Loose, Workspace } from '../workspace.ts';
import { type Checks, type Methods, Refusal, shown } from './checks.ts';

export function chatMethods(space: Workspace, { channelOf, writable, blocksOf, find }: Checks): Methods {
  return {
    'chat.postMessage': (args) => {
      const channel = writable(args);
      const blocks = blocksOf(args);
      const thread = args['thread_ts'] as string | undefined;
      if (thread !== undefined) find(channel, thread);
      const message: DoubleMessage = {
        ts: space.nextTs(),
        channel,
        user: space.bot,
        text: String(args['text'] ?? ''),
        blocks,
        edited: 0,
        ...(thread !== undefined && {
          thread_ts: thread,
          broadcast: args['reply_broadcast'] === true || args['reply_broadcast'] === 'true',
        }),
        ...(args['metadata'] !== undefined && { metadata: args['metadata'] as Loose }),
      };
      space.messages.push(message);
      return { channel, ts: message.ts, message: shown(message) };
    },
    'chat.update': (args) => {
      const message = find(writable(args), args['ts']);
      message.blocks = blocksOf(args);
      message.text = String(args['text'] ?? '');
      message.edited += 1;
      return { channel: message.channel, ts: message.ts, text: message.text };
    },
    'chat.postEphemeral': (args) => {
      const channel = channelOf(args);
      const ts = space.nextTs();
      const only = String(args['user']);
      if (!space.users.has(only)) throw new Refusal('user_not_in_channel');
      space.messages.push({
        ts,
        channel,
        user: space.bot,
        text: String(args['text'] ?? ''),
        blocks: blocksOf(args),
        only,
        ...(typeof args['thread_ts'] === 'string' && { thread_ts: args['thread_ts'] }),
        edited: 0,
      });
      return { message_ts: ts };
    },
    'chat.getPermalink': (args) => ({
      permalink: `https://double.slack.com/archives/${channelOf(args)}/p${String(args['message_ts']).replace('.', '')}`,
    }),
    'chat.unfurl': (args) => {
      space.unfurls.push(args);
      return {};
    },
  };
}
