// Calls to Slack: one attempt each, with a timeout; the caller decides about retries.
import type { KnownBlock } from '@slack/types';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import type { Message } from '../../blocks/blocks.ts';
import { slackFailure, SlackFailure } from './slack-failure.ts';

/** Message metadata, by which a restarted bot finds its messages. */
export interface Mark {
  readonly notice: string;
  readonly part: 'live' | 'result' | 'alert' | 'release' | 'about' | 'request' | 'failed';
}

export interface Posting {
  readonly team: string;
  readonly channel: string;
  readonly message: Message;
  readonly mark?: Mark;
  readonly thread?: string;
  /** Also shows a reply in the channel. */
  readonly broadcast?: boolean;
}

export interface SlackUser {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  /** IANA time zone. */
  readonly zone: string;
  /** Such as `de-DE`; null if Slack does not report it. */
  readonly locale: string | null;
}

/** `outside`: public, and the bot is no member; `gone`: deleted, or private without the bot; `unknown`: Slack did not say. */
export type ChannelState = 'open' | 'outside' | 'archived' | 'gone' | 'unknown';

/** All methods throw SlackFailure. */
export interface SlackPort {
  /** Returns the timestamp. */
  post(posting: Posting): Promise<string>;
  edit(team: string, channel: string, ts: string, message: Message): Promise<void>;
  postEphemeral(
    team: string,
    channel: string,
    user: string,
    message: Message,
    thread?: string,
  ): Promise<void>;
  /** The message with that mark; null if there is none since `oldest` (milliseconds). */
  findPosted(where: {
    team: string;
    channel: string;
    mark: Mark;
    oldest: number;
    thread?: string;
  }): Promise<string | null>;
  hasFile(where: { team: string; channel: string; thread: string; name: string }): Promise<boolean>;
  /** Into a thread or, without a channel, for a block; returns the file's ID. */
  upload(file: {
    team: string;
    name: string;
    title: string;
    bytes: Buffer;
    channel?: string;
    thread?: string;
  }): Promise<string>;
  user(team: string, id: string): Promise<SlackUser>;
  /** The bot's direct message channel with a person. */
  directMessages(team: string, user: string): Promise<string>;
  channelState(team: string, channel: string): Promise<ChannelState>;
  /** Whether the bot can post in a channel, as far as Slack says. */
  canPost(team: string, channel: string): Promise<boolean>;
  /** Ends a workflow step. */
  endStep(
    team: string,
    execution: string,
    end: { readonly outputs: Readonly<Record<string, string>> } | { readonly error: string },
  ): Promise<void>;
  /** For calls without a method here, such as opening a view. */
  client(team: string): Promise<WebClient>;
}

/** One attempt, ten seconds; a 429 is an error instead of blocking all other calls. */
export function clientOptions(slackApiUrl: string | null): WebClientOptions {
  return {
    ...(slackApiUrl !== null && { slackApiUrl }),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: 10_000,
  };
}

/** Maximum messages searched for a mark: more than a channel gets during a restart. */
const SEARCHED = 400;
const EVENT_TYPE = 'pressroom_notice';

/** @param tokenOf throws if the workspace is not installed. */
export function createSlackPort(
  tokenOf: (team: string) => Promise<string>,
  options: WebClientOptions,
): SlackPort {
  const clients = new Map<string, WebClient>();

  async function client(team: string): Promise<WebClient> {
    const token = await tokenOf(team);
    let known = clients.get(token);
    if (!known) {
      if (clients.size > 1000) clients.clear();
      clients.set(token, (known = new WebClient(token, options)));
    }
    return known;
  }

  async function ask<T>(team: string, work: (web: WebClient) => Promise<T>): Promise<T> {
    try {
      return await work(await client(team));
    } catch (error) {
      throw slackFailure(error);
    }
  }

  async function channelState(team: string, channel: string): Promise<ChannelState> {
    try {
      const { channel: found } = await ask(team, (web) => web.conversations.info({ channel }));
      if (found?.is_archived === true) return 'archived';
      if (found?.is_member !== false) return 'open';
      return found.is_private === true ? 'gone' : 'outside';
    } catch (error) {
      return slackFailure(error).kind === 'gone' ? 'gone' : 'unknown';
    }
  }

  return {
    client,
    channelState,
    post: ({ team, channel, message, mark, thread, broadcast }) =>
      ask(team, async (web) => {
        const { ts } = await web.chat.postMessage({
          channel,
          ...content(message),
          unfurl_links: false,
          unfurl_media: false,
          ...(thread !== undefined && { thread_ts: thread, reply_broadcast: broadcast === true }),
          ...(mark && { metadata: { event_type: EVENT_TYPE, event_payload: { ...mark } } }),
        } as Parameters<WebClient['chat']['postMessage']>[0]);
        if (ts === undefined) throw new SlackFailure('down', 'no timestamp');
        return ts;
      }),
    edit: (team, channel, ts, message) =>
      ask(team, async (web) => {
        await web.chat.update({ channel, ts, ...content(message) });
      }),
    postEphemeral: (team, channel, user, message, thread) =>
      ask(team, async (web) => {
        await web.chat.postEphemeral({
          channel,
          user,
          ...content(message),
          ...(thread !== undefined && { thread_ts: thread }),
        });
      }),
    findPosted: ({ team, channel, mark, oldest, thread }) =>
      ask(team, async (web) => {
        let cursor: string | undefined;
        for (let seen = 0; seen < SEARCHED;) {
          const query = {
            channel,
            include_all_metadata: true,
            oldest: String(oldest / 1000 - 60),
            limit: 100,
            ...(cursor !== undefined && { cursor }),
          };
          const page = await asMember(web, channel, () =>
            thread === undefined
              ? web.conversations.history(query)
              : web.conversations.replies({ ...query, ts: thread }),
          );
          const messages = (page.messages ?? []) as { ts?: string; metadata?: Marked }[];
          const found = messages.find((message) => isMarked(message.metadata, mark));
          if (found?.ts !== undefined) return found.ts;
          cursor = page.response_metadata?.next_cursor || undefined;
          if (cursor === undefined || messages.length === 0) return null;
          seen += messages.length;
        }
        return null;
      }),
    hasFile: ({ team, channel, thread, name }) =>
      ask(team, async (web) => {
        const page = await asMember(web, channel, () =>
          web.conversations.replies({ channel, ts: thread, limit: 200 }),
        );
        return (page.messages ?? []).some((message) => message.files?.some((file) => file.name === name));
      }),
    upload: ({ team, name, title, bytes, channel, thread }) =>
      ask(team, async (web) => {
        const place = await web.files.getUploadURLExternal({ filename: name, length: bytes.length });
        if (!place.upload_url || !place.file_id) throw new SlackFailure('down', 'no address for the upload');
        const sent = await fetch(place.upload_url, {
          method: 'POST',
          body: new Uint8Array(bytes),
          signal: AbortSignal.timeout(30_000),
        });
        if (!sent.ok) throw new SlackFailure('down', `upload: HTTP ${sent.status}`);
        await web.files.completeUploadExternal({
          files: [{ id: place.file_id, title }],
          ...(channel !== undefined && { channel_id: channel }),
          ...(thread !== undefined && { thread_ts: thread }),
        } as Parameters<WebClient['files']['completeUploadExternal']>[0]);
        return place.file_id;
      }),
    endStep: (team, function_execution_id, end) =>
      ask(team, async (web) => {
        await ('error' in end
          ? web.functions.completeError({ function_execution_id, error: end.error })
          : web.functions.completeSuccess({ function_execution_id, outputs: { ...end.outputs } }));
      }),
    directMessages: (team, user) =>
      ask(team, async (web) => {
        const { channel } = await web.conversations.open({ users: user });
        if (channel?.id === undefined) throw new SlackFailure('down', 'no channel');
        return channel.id;
      }),
    // Unknown until the message is posted.
    canPost: async (team, channel) => !['archived', 'gone'].includes(await channelState(team, channel)),
    user: (team, id) =>
      ask(team, async (web) => {
        const { user } = await web.users.info({ user: id, include_locale: true });
        const name = user?.profile?.display_name || user?.real_name || user?.name || id;
        return {
          id,
          name,
          email: user?.profile?.email ?? null,
          zone: user?.tz ?? 'UTC',
          locale: user?.locale ?? null,
        };
      }),
  };
}

/** The bot posts in public channels without being a member; to read there, it joins. */
async function asMember<T>(web: WebClient, channel: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (slackFailure(error).word !== 'not_in_channel') throw error;
    await web.conversations.join({ channel });
    return read();
  }
}

interface Marked {
  readonly event_type?: string;
  readonly event_payload?: Partial<Mark>;
}

function isMarked(metadata: Marked | undefined, mark: Mark): boolean {
  const payload = metadata?.event_payload;
  return metadata?.event_type === EVENT_TYPE && payload?.notice === mark.notice && payload.part === mark.part;
}

function content({ text, blocks }: Message): { text: string; blocks: KnownBlock[] } {
  return { text, blocks: blocks as KnownBlock[] };
}
