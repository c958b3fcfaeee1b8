// What the bot asks of Slack, each once and with a limit in time; whoever calls decides about trying again.
import type { KnownBlock } from '@slack/types';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import type { Message } from '../blocks/blocks.ts';
import { slackFailure, SlackFailure } from './slack-failure.ts';

/** Marks a message, so that a bot that died while posting finds what it had posted. */
export interface Mark {
  readonly notice: string;
  readonly part: 'live' | 'result' | 'digest';
}

export interface Posting {
  readonly team: string;
  readonly channel: string;
  readonly message: Message;
  readonly mark?: Mark;
  readonly thread?: string;
  /** Shows a reply in the channel, too. */
  readonly broadcast?: boolean;
}

export interface SlackUser {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
}

/** All methods throw SlackFailure. */
export interface SlackPort {
  /** Answers the timestamp. */
  post(posting: Posting): Promise<string>;
  edit(team: string, channel: string, ts: string, message: Message): Promise<void>;
  whisper(team: string, channel: string, user: string, message: Message): Promise<void>;
  /** The message with that mark; null when there is none since `oldest` (milliseconds). */
  findPosted(where: {
    team: string;
    channel: string;
    mark: Mark;
    oldest: number;
    thread?: string;
  }): Promise<string | null>;
  hasFile(where: { team: string; channel: string; thread: string; name: string }): Promise<boolean>;
  /** Into a thread or, without a channel, for use in a block; answers the file's id. */
  upload(file: {
    team: string;
    name: string;
    title: string;
    bytes: Buffer;
    channel?: string;
    thread?: string;
  }): Promise<string>;
  user(team: string, id: string): Promise<SlackUser>;
  /** For what is not worth a method of its own here, such as opening a view. */
  client(team: string): Promise<WebClient>;
}

/** One try, ten seconds, and a 429 is told instead of stopping everything else (design/slack.md, "Versions and traps"). */
export function clientOptions(slackApiUrl: string | null): WebClientOptions {
  return {
    ...(slackApiUrl !== null && { slackApiUrl }),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: 10_000,
  };
}

/** Messages looked through for a mark: more than a channel gets while a bot restarts. */
const LOOKED_THROUGH = 400;
const EVENT_TYPE = 'pressroom_notice';

/** @param tokenOf throws when the workspace is not installed. */
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

  return {
    client,
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
    whisper: (team, channel, user, message) =>
      ask(team, async (web) => {
        await web.chat.postEphemeral({ channel, user, ...content(message) });
      }),
    findPosted: ({ team, channel, mark, oldest, thread }) =>
      ask(team, async (web) => {
        let cursor: string | undefined;
        for (let seen = 0; seen < LOOKED_THROUGH;) {
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
    user: (team, id) =>
      ask(team, async (web) => {
        const { user } = await web.users.info({ user: id });
        const name = user?.profile?.display_name || user?.real_name || user?.name || id;
        return { id, name, email: user?.profile?.email ?? null };
      }),
  };
}

/** In public channels the bot posts without being in them; to read what it posted it must join. */
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
