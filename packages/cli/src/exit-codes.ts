// Exit codes, which scripts rely on, and the failures that cause them.
import {
  ClientOptionsError,
  NoResponseError,
  InvalidResponseError,
  RefusedError,
} from '@pressroom/api/client';
import { BrowserSignInError } from '@pressroom/api/sign-in';
import { VariablesError } from '@pressroom/api/publish';

export const EXIT = {
  ok: 0,
  /** The deploy or its preparation failed. */
  failed: 1,
  /** The command line, an option or a setting is wrong. */
  usage: 2,
  /** The server refused. */
  refused: 3,
  /** No response from the server, or an invalid one. */
  noResponse: 4,
  /** The outcome is unknown; the task may still be running. */
  unknown: 5,
  /** Stopped with Ctrl-C or SIGTERM. */
  cancelled: 130,
} as const;

/** An invalid command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string;

  constructor(message: string, hint = '') {
    super(message);
    this.hint = hint;
  }
}

/** The exit code of a failure. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof ClientOptionsError || error instanceof VariablesError)
    return EXIT.usage;
  if (error instanceof RefusedError) return EXIT.refused;
  if (error instanceof NoResponseError) return error.kind === 'aborted' ? EXIT.cancelled : EXIT.noResponse;
  if (error instanceof InvalidResponseError) return EXIT.noResponse;
  if (error instanceof BrowserSignInError) return EXIT.refused;
  return EXIT.failed;
}

/** The failure and a remedy, for people. */
export function failureLines(error: unknown): string[] {
  const { message, hint } = (error instanceof Error ? error : new Error(String(error))) as Error & {
    hint?: unknown;
  };
  const code = error instanceof RefusedError ? error.code : null;
  return [
    `Error${code === null ? '' : ` (code ${code})`}: ${message}`,
    ...(typeof hint === 'string' && hint !== '' ? [hint] : []),
  ];
}
