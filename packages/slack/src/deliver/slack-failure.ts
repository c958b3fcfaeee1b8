// Failures of calls to Slack, in the four kinds that are handled differently.
import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';

/**
 * `busy`: rate limited, wait; `gone`: the channel, message or token no longer exists; `refused`: Slack will never accept it;
 * `down`: no response or an invalid one; the call may have worked all the same.
 */
export type SlackFailureKind = 'busy' | 'gone' | 'refused' | 'down';

export class SlackFailure extends Error {
  override readonly name = 'SlackFailure';
  readonly kind: SlackFailureKind;
  /** Slack's error code, such as `channel_not_found`. */
  readonly word: string;
  /** Milliseconds to wait. */
  readonly retryAfter: number;

  constructor(kind: SlackFailureKind, word: string, retryAfter = 0, cause?: unknown) {
    super(`Slack: ${word}`, { cause });
    this.kind = kind;
    this.word = word;
    this.retryAfter = retryAfter;
  }
}

const GONE = new Set([
  'channel_not_found',
  'message_not_found',
  'is_archived',
  'not_in_channel',
  'cant_update_message',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'invalid_auth',
  'not_authed',
  'thread_not_found',
]);
const DOWN = new Set(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout']);

export function slackFailure(error: unknown): SlackFailure {
  if (error instanceof SlackFailure) return error;
  if (error instanceof WebAPIRateLimitedError) {
    return new SlackFailure('busy', 'ratelimited', error.retryAfter * 1000, error);
  }
  if (error instanceof WebAPIPlatformError) {
    const word = error.data.error;
    if (word === 'ratelimited') return new SlackFailure('busy', word, 1000, error);
    return new SlackFailure(GONE.has(word) ? 'gone' : DOWN.has(word) ? 'down' : 'refused', word, 0, error);
  }
  if (error instanceof WebAPIHTTPError) return new SlackFailure('down', `HTTP ${error.statusCode}`, 0, error);
  if (error instanceof WebAPIRequestError) return new SlackFailure('down', error.original.message, 0, error);
  return new SlackFailure('down', error instanceof Error ? error.message : String(error), 0, error);
}
