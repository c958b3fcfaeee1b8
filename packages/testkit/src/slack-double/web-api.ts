// The Web API methods that the bot calls, over a workspace in memory, refusing what Slack would refuse.
import { violations } from './limits.ts';
import type { DoubleMessage, Loose, Workspace } from './workspace.ts';

export type Method = (args: Loose) => Loose;

/** Becomes `{ ok: false, error }`. */
export class Refusal extends Error {
  readonly details: Loose;
  constructor(word: string, details: Loose = {}) {
    super(word);
    this.details = details;
  }
}

const TRIGGER_LIFE = 3000;

export interface WebApiOptions {
  readonly faults: {
    readonly charts: boolean;
    readonly plans: boolean;
    outside: boolean;
    readonly closed: ReadonlySet<string>;
    readonly archived: ReadonlySet<string>;
  };
  /** Base address of uploads. */
  readonly base: () => string;
  readonly bot: { readonly token: string };
}

export function createMethods(
  space: Workspace,
  { faults, base, bot }: WebApiOptions,
): Record<string, Method> {
  const channelOf = (args: Loose): string => {
    const id = String(args['channel'] ?? args['channel_id'] ?? '');
    if (!space.channels.has(id) || faults.closed.has(id)) throw new Refusal('channel_not_found');
    return id;
  };
  const writable = (args: Loose): string => {
    const id = channelOf(args);
    if (faults.archived.has(id)) throw new Refusal('is_archived');
    return id;
  };
  const readable = (args: Loose): string => {
    if (faults.outside) throw new Refusal('not_in_channel');
    return channelOf(args);
  };
  const blocksOf = (args: Loose, surface: 'message' | 'modal' | 'home' = 'message'): Loose[] => {
    const blocks = (args['blocks'] ?? []) as Loose[];
    const text = args['text'] as string | undefined;
    const wrong = violations({ ...args, ...(text !== undefined && { text }), blocks }, surface);
    const chart = !faults.charts && blocks.some((block) => block['type'] === 'data_visualization');
    const plan = !faults.plans && blocks.some((block) => block['type'] === 'plan');
    if (wrong.length > 0 || chart || plan) {
      throw new Refusal('invalid_blocks', {
        response_metadata: { messages: chart || plan ? ['unsupported type'] : wrong },
      });
    }
    return blocks;
  };
  const find = (channel: string, ts: unknown): DoubleMessage => {
    const message = space.messages.find((item) => item.channel === channel && item.ts === ts && !item.only);
    if (!message) throw new Refusal('message_not_found');
    return message;
  };
  const shown = ({
    channel: _channel,
    only: _only,
    responseUrl: _url,
    edited: _edited,
    broadcast: _b,
    ...rest
  }: DoubleMessage) => ({
    type: 'message',
    ...rest,
  });
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
  const trigger = (args: Loose): string => {
    const id = String(args['trigger_id'] ?? '');
    const known = space.triggers.get(id);
    if (!known) throw new Refusal('invalid_trigger_id');
    space.triggers.delete(id);
    if (Date.now() - known.time > TRIGGER_LIFE) throw new Refusal('expired_trigger_id');
    return known.user;
  };

  return {
    'auth.test': () => ({
      url: 'https://double.slack.com/',
      team: 'Double',
      user: 'pressroom',
      team_id: space.team,
      user_id: space.bot,
      bot_id: 'B0BOT',
    }),
    'oauth.v2.access': (args) => {
      if (args['code'] !== 'good-code') throw new Refusal('invalid_code');
      return {
        app_id: 'A0DOUBLE',
        access_token: bot.token,
        token_type: 'bot',
        scope: 'chat:write,commands',
        bot_user_id: space.bot,
        team: { id: space.team, name: 'Double' },
        enterprise: null,
        is_enterprise_install: false,
        authed_user: { id: 'U0INSTALLER' },
      };
    },
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
    'users.info': (args) => {
      const user = space.users.get(String(args['user']));
      if (!user) throw new Refusal('user_not_found');
      const { id, name, email } = user;
      return {
        user: {
          id,
          name,
          tz: user.tz,
          ...(args['include_locale'] !== undefined && { locale: user.locale ?? 'en-US' }),
          real_name: name,
          profile: { display_name: name, real_name: name, email },
        },
      };
    },
    'functions.completeSuccess': (args) => {
      space.steps.push(args);
      return {};
    },
    'functions.completeError': (args) => {
      space.steps.push(args);
      return {};
    },
    'users.lookupByEmail': (args) => {
      const user = [...space.users.values()].find(({ email }) => email === args['email']);
      if (!user) throw new Refusal('users_not_found');
      return { user: { id: user.id, name: user.name } };
    },
    'views.open': (args) => {
      const user = trigger(args);
      const view = args['view'] as Loose;
      blocksOf(view, 'modal');
      const id = space.nextId('V');
      space.modals.push({ id, user, view });
      return { view: { ...view, id } };
    },
    'views.update': (args) => {
      const modal = space.modals.find(({ id }) => id === args['view_id']);
      if (!modal) throw new Refusal('not_found');
      modal.view = args['view'] as Loose;
      blocksOf(modal.view, 'modal');
      return { view: { ...modal.view, id: modal.id } };
    },
    'views.publish': (args) => {
      const view = args['view'] as Loose;
      blocksOf(view, 'home');
      space.homes.set(String(args['user_id']), view);
      return { view: { ...view, id: space.nextId('V') } };
    },
    'files.getUploadURLExternal': (args) => {
      const id = space.nextId('F');
      space.files.set(id, {
        id,
        name: String(args['filename']),
        bytes: Buffer.alloc(0),
        channel: null,
        thread: null,
      });
      return { upload_url: `${base()}/upload/${id}`, file_id: id };
    },
    'files.completeUploadExternal': (args) => {
      const files = (args['files'] ?? []) as { id: string; title?: string }[];
      for (const { id, title } of files) {
        const file = space.files.get(id);
        if (!file) throw new Refusal('file_not_found');
        if (args['channel_id'] === undefined) continue;
        const channel = channelOf(args);
        const thread = args['thread_ts'] as string | undefined;
        file.channel = channel;
        file.thread = thread ?? null;
        space.messages.push({
          ts: space.nextTs(),
          channel,
          user: space.bot,
          text: '',
          blocks: [],
          edited: 0,
          files: [{ id, name: file.name, title: title ?? file.name }],
          ...(thread !== undefined && { thread_ts: thread }),
        });
      }
      return { files: files.map(({ id, title }) => ({ id, title })) };
    },
  };
}
