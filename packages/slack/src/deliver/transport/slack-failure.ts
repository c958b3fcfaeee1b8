// Failures of calls to Slack, by how they are handled.
import type { ClientClock } from '@pressroom/api/client';
import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';

/**
 * `busy`: rate limited, wait; `gone`: the channel, message or token no longer exists; `refused`: Slack will never
 * accept it; `locked`: the token is invalid until replaced; `down`: no response or an invalid one; the call may have
 * succeeded anyway; `unknown`: other, possibly temporary errors.
 */
export type SlackFailureKind = 'busy' | 'gone' | 'refused' | 'locked' | 'down' | 'unknown';

/** There is no token for a workspace. */
export class NotInstalled extends Error {
  override readonly name = 'NotInstalled';
}

/** Milliseconds between attempts if Slack does not say how long to wait, and the maximum if it does. */
const MAX_PAUSE_MS = 30_000;
const MAX_RETRY_AFTER_MS = 3_600_000;

export class SlackFailure extends Error {
  override readonly name = 'SlackFailure';
  readonly kind: SlackFailureKind;
  /** Slack's error code, such as `channel_not_found`. */
  readonly word: string;
  /** Milliseconds to wait; 0 if Slack does not say. */
  readonly retryAfter: number;

  constructor(kind: SlackFailureKind, word: string, retryAfter = 0, cause?: unknown) {
    super(`Slack: ${word}`, { cause });
    this.kind = kind;
    this.word = word;
    this.retryAfter = retryAfter;
  }
}

const KINDS: Readonly<Record<Exclude<SlackFailureKind, 'unknown'>, readonly string[]>> = {
  busy: ['ratelimited', 'rate_limited', 'message_limit_exceeded'],
  gone: [
    'channel_not_found',
    'message_not_found',
    'is_archived',
    'is_inactive',
    'not_in_channel',
    'cant_update_message',
    'edit_window_closed',
    'thread_not_found',
    'user_not_in_channel',
  ],
  refused: [
    'invalid_blocks',
    'invalid_blocks_format',
    'invalid_arguments',
    'invalid_attachments',
    'invalid_metadata_format',
    'metadata_too_large',
    'msg_too_long',
    'msg_blocks_too_long',
    'no_text',
    'too_many_attachments',
    'markdown_text_conflict',
    'missing_scope',
    'no_permission',
    'restricted_action',
    'restricted_action_read_only_channel',
    'restricted_action_thread_only_channel',
    'restricted_action_non_threadable_channel',
    'not_allowed_token_type',
    'user_not_found',
    'users_not_found',
    'view_too_large',
    'expired_trigger_id',
    'invalid_trigger_id',
    'exchanged_trigger_id',
    'unknown_method',
    'execution_not_in_running_state',
    'function_execution_not_found',
    'parameter_validation_failed',
  ],
  locked: [
    'account_inactive',
    'token_revoked',
    'token_expired',
    'invalid_auth',
    'not_authed',
    'org_login_required',
    'access_denied',
    'accesslimited',
    'ekm_access_denied',
  ],
  down: [
    'internal_error',
    'fatal_error',
    'service_unavailable',
    'request_timeout',
    'update_failed',
    'external_channel_migrating',
    'team_added_to_org',
  ],
};

function kindOf(word: string): SlackFailureKind {
  for (const [kind, words] of Object.entries(KINDS)) {
    if (words.includes(word)) return kind as SlackFailureKind;
  }
  return 'unknown';
}

/** Whether other messages to that channel would fail, too, for some time. */
export function isOutage({ kind }: SlackFailure): boolean {
  return kind === 'busy' || kind === 'down' || kind === 'locked';
}

/** Milliseconds before another attempt: as long as Slack says, since its limits get stricter for earlier ones. */
export function pauseAfter({ retryAfter }: SlackFailure, failures: number): number {
  if (retryAfter > 0) return Math.min(retryAfter, MAX_RETRY_AFTER_MS);
  return Math.min(500 * 2 ** Math.min(failures, 7), MAX_PAUSE_MS);
}

/** The same, spread out: messages that failed together do not return together, nor before Slack permits it. */
export function spreadPause(
  failure: SlackFailure,
  failures: number,
  clock: Pick<ClientClock, 'random'>,
): number {
  const spread = (failure.kind === 'busy' ? 1 : 0.75) + clock.random() / 2;
  return pauseAfter(failure, failures) * spread;
}

export function slackFailure(error: unknown): SlackFailure {
  if (error instanceof SlackFailure) return error;
  if (error instanceof WebAPIRateLimitedError) {
    return new SlackFailure('busy', 'ratelimited', error.retryAfter * 1000, error);
  }
  if (error instanceof WebAPIPlatformError) {
    const word = error.data.error;
    // A page instead of a response appears as error code.
    if (!/^[a-z0-9_]{1,100}$/.test(word)) return new SlackFailure('down', 'an invalid response', 0, error);
    return new SlackFailure(kindOf(word), word, 0, error);
  }
  if (error instanceof NotInstalled) return new SlackFailure('locked', 'not installed', 0, error);
  if (error instanceof WebAPIHTTPError) return new SlackFailure('down', `HTTP ${error.statusCode}`, 0, error);
  if (error instanceof WebAPIRequestError) {
    const { cause, message } = error.original;
    // "fetch failed" has the reason as its cause.
    return new SlackFailure('down', cause instanceof Error ? cause.message : message, 0, error);
  }
  return new SlackFailure('down', error instanceof Error ? error.message : String(error), 0, error);
}
