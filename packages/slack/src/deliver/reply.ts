// Where an answer goes: the response_url of a command or click, five times within half an hour; else a whisper.
import type { Logger } from 'pino';
import type { Message } from '../blocks/blocks.ts';
import type { Asker } from '../link/content-clients.ts';
import { SlackFailure, slackFailure } from './slack-failure.ts';
import type { SlackPort } from './slack-port.ts';

export interface Reply {
  /** Shows the message: to the asker alone, or to the channel when this reply is a shared one. */
  answer(message: Message): Promise<void>;
  /** Puts it where the last answer stands; where that cannot be, below it. */
  replace(message: Message): Promise<void>;
  /** How often progress may still be shown. */
  readonly progressLeft: number;
}

export interface ReplyOptions {
  readonly slack: SlackPort;
  readonly asker: Asker;
  readonly responseUrl: string | null;
  /** To be seen by the whole channel. */
  readonly shared?: boolean;
  /** The answer to a typed line: only there the last answer may be replaced; after a click it would be what was pressed. */
  readonly typed?: boolean;
  readonly log: Logger;
}

const USES = 5;
/** The last ones are for the answer itself. */
const KEPT_BACK = 3;
const TRIES = 3;
const TIMEOUT = 10_000;

export function createReply({
  slack,
  asker,
  responseUrl,
  shared = false,
  typed = false,
  log,
}: ReplyOptions): Reply {
  let uses = 0;
  let answered = false;

  async function send(message: Message, replace: boolean): Promise<void> {
    if (responseUrl === null || uses >= USES) return whisper(message);
    const body = {
      response_type: shared ? 'in_channel' : 'ephemeral',
      replace_original: replace && answered && typed,
      text: message.text,
      blocks: message.blocks,
    };
    for (let attempt = 1; ; attempt += 1) {
      uses += 1;
      try {
        await post(responseUrl, body);
        answered = true;
        return;
      } catch (error) {
        const failure = slackFailure(error);
        if (failure.kind === 'refused') throw failure;
        if (attempt >= TRIES || uses >= USES) {
          log.warn({ word: failure.word }, 'an answer did not reach Slack');
          return whisper(message);
        }
      }
    }
  }

  async function whisper(message: Message): Promise<void> {
    await slack.whisper(asker.team, asker.channel, asker.user, message);
  }

  return {
    get progressLeft() {
      return responseUrl === null || !typed ? 0 : Math.max(0, USES - KEPT_BACK - uses);
    },
    answer: (message) => send(message, false),
    replace: (message) => send(message, true),
  };
}

async function post(url: string, body: object): Promise<void> {
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
  const word = /"error"\s*:\s*"([a-z_]+)"/.exec(text)?.[1] ?? `HTTP ${response.status}`;
  const kind =
    response.status === 429
      ? 'busy'
      : response.status >= 500
        ? 'down'
        : word === 'used_url' || response.status === 404
          ? 'gone'
          : 'refused';
  throw new SlackFailure(kind, word);
}
