// Responses: to the response_url of a command or click, five times within half an hour; else as an ephemeral message.
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Message } from '../../blocks/blocks.ts';
import { SlackFailure, slackFailure } from './slack-failure.ts';
import type { SlackPort } from './slack-port.ts';

/** Who typed or pressed, and where. */
export interface Invoker {
  readonly team: string;
  readonly user: string;
  readonly name: string;
  readonly channel: string;
  /** Whether this person is of another workspace than the one that installed the app. */
  readonly isOutsider?: boolean;
  /** The thread it was asked in, if known. */
  readonly thread?: string | undefined;
}

export interface Reply {
  /** Shows the message to the invoker only, or to the channel if the reply is shared. */
  respond(message: Message): Promise<void>;
  /** Replaces the last response; if that is impossible, adds another. */
  replace(message: Message): Promise<void>;
  /** Progress messages that may still be shown. */
  readonly progressLeft: number;
}

export interface ReplyOptions {
  readonly slack: SlackPort;
  readonly invoker: Invoker;
  readonly responseUrl: string | null;
  /** Visible to the whole channel. */
  readonly shared?: boolean;
  /** Only the response to a typed command may be replaced: after a click it would be the message with the button. */
  readonly typed?: boolean;
  readonly log: Logger;
  /** Milliseconds; for tests. */
  readonly wait?: Wait | undefined;
}

export type Wait = (milliseconds: number) => Promise<unknown>;

const USES = 5;
/** Uses reserved for the response itself. */
const RESERVED = 3;
const TRIES = 3;
const TIMEOUT = 10_000;
/** Milliseconds before another attempt. */
const PAUSE = 500;
const MAX_PAUSE_MS = 5000;

export function createReply({
  slack,
  invoker,
  responseUrl,
  shared = false,
  typed = false,
  log,
  wait = setTimeout,
}: ReplyOptions): Reply {
  let uses = 0;
  let answered = false;

  async function send(message: Message, replace: boolean): Promise<void> {
    if (responseUrl === null || uses >= USES) return postEphemeral(message);
    const body = {
      response_type: shared ? 'in_channel' : 'ephemeral',
      replace_original: replace && answered && typed,
      text: message.text,
      blocks: message.blocks,
    };
    for (let attempt = 1; ; attempt += 1) {
      uses += 1;
      try {
        await respondTo(responseUrl, body);
        answered = true;
        return;
      } catch (error) {
        const failure = slackFailure(error);
        if (failure.kind === 'refused') throw failure;
        const isOver = failure.kind === 'gone' || attempt >= TRIES || uses >= USES;
        if (isOver) {
          log.warn({ word: failure.word }, 'a response did not reach Slack');
          return postEphemeral(message);
        }
        await wait(Math.min(failure.retryAfter || PAUSE * attempt, MAX_PAUSE_MS));
      }
    }
  }

  async function postEphemeral(message: Message): Promise<void> {
    const { team, channel, user, thread } = invoker;
    const post = (to: string, there?: string) =>
      retryShortly(
        () => slack.post({ team, channel: to, message, ...(there !== undefined && { thread: there }) }),
        wait,
      );
    if (channel !== '') {
      try {
        // Direct messages are private anyway, and responses there should stay.
        if (channel.startsWith('D')) return void (await post(channel, thread));
        return await retryShortly(() => slack.postEphemeral(team, channel, user, message, thread), wait);
      } catch (error) {
        if (slackFailure(error).kind !== 'gone') throw error;
      }
    }
    // The home tab has no channel, and the bot may not be a member of the invoker's.
    await post(await retryShortly(() => slack.directMessages(team, user), wait));
  }

  return {
    get progressLeft() {
      return responseUrl === null || !typed ? 0 : Math.max(0, USES - RESERVED - uses);
    },
    respond: (message) => send(message, false),
    replace: (message) => send(message, true),
  };
}

/** Retries temporary failures. */
export async function retryShortly<T>(work: () => Promise<T>, wait: Wait = setTimeout): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const { kind, retryAfter } = slackFailure(error);
      if (attempt >= TRIES || kind === 'gone' || kind === 'refused') throw error;
      await wait(Math.min(retryAfter || PAUSE * attempt, MAX_PAUSE_MS));
    }
  }
}

async function respondTo(url: string, body: object): Promise<void> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT),
    });
  } catch (error) {
    throw new SlackFailure('down', (error as Error).message, 0, error);
  }
  const text = await response.text();
  if (response.ok && !text.includes('"ok":false')) return;
  const retryAfter = Number(response.headers.get('retry-after') ?? 0) * 1000;
  const word = /"error"\s*:\s*"([a-z_]+)"/.exec(text)?.[1] ?? `HTTP ${response.status}`;
  const kind =
    response.status === 429
      ? 'busy'
      : response.status >= 500
        ? 'down'
        : word.startsWith('invalid_')
          ? 'refused'
          : 'gone';
  throw new SlackFailure(kind, word, retryAfter);
}
