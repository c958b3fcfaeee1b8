// Exit codes, which scripts rely on, and the failures that cause them.
import {
  ClientOptionsError,
  NoResponseError,
  InvalidResponseError,
  RefusedError,
} from '@pressroom/api/client';
import { VariablesError } from '@pressroom/api/publish';
import { BrowserSignInError } from '@pressroom/api/sign-in';
import { commandHint, type WithAbout } from './arguments/command-hint.ts';

export const EXIT = {
  ok: 0,
  /** The deploy failed. */
  failed: 1,
  /** The command line, an option, a setting or the directory is wrong: nothing was sent. */
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

/** Code of a refusal for lack of rights (contract, section 7). */
export const DENIED = 22;

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
  if (fileOf(error) !== null) return EXIT.usage;
  return EXIT.failed;
}

export interface Failure {
  /** Name of its class. */
  readonly name: string;
  readonly message: string;
  /** The server's code; null if it has none. */
  readonly code: number | null;
  /** What the server adds to the code; null if it adds nothing. */
  readonly payload: Readonly<Record<string, unknown>> | null;
  /** A remedy; empty if there is none. */
  readonly hint: string;
}

/** @param context its command, for hints about the same content */
export function failureOf(error: unknown, context: WithAbout = { about: {} }): Failure {
  const { name, message: said } = error instanceof Error ? error : new Error(String(error));
  const file = fileOf(error);
  const message = file === null ? said : `Cannot read or write ${file.path} (${file.code}).`;
  const { hint } = Object(error) as { readonly hint?: unknown };
  const { code, payload } = error instanceof RefusedError ? error : { code: null, payload: null };
  const waiting = waitingBundle(error);
  const remedy =
    waiting === null
      ? hint
      : `Run this command again once it is approved. Others approve it with: ${commandHint(context, `approve ${waiting} --content ${context.about.guid ?? 'CONTENT'}`)}`;
  return { name, message, code, payload, hint: typeof remedy === 'string' ? remedy : '' };
}

/** What the system refuses about a file; null for other failures. */
function fileOf(error: unknown): { readonly path: string; readonly code: string } | null {
  if (!(error instanceof Error)) return null;
  const { path, code, syscall = '' } = error as NodeJS.ErrnoException;
  return path === undefined || code === undefined || syscall.startsWith('spawn') ? null : { path, code };
}

/** The bundle that waits for approval, if that is why the server refused. */
export function waitingBundle(error: unknown): string | null {
  const release = error instanceof RefusedError ? error.payload?.['release'] : null;
  return typeof release === 'string' ? release : null;
}

/** For people. */
export function failureLines(error: unknown, context?: WithAbout): string[] {
  const { message, code, hint } = failureOf(error, context);
  const headline = `Error${code === null ? '' : ` (code ${code})`}: ${message}`;
  return hint === '' ? [headline] : [headline, hint];
}

/** The same refusal with a remedy. */
export function withHint(refusal: RefusedError, hint: string): RefusedError {
  const { operation, server, status, code, payload, message } = refusal;
  return new RefusedError({ operation, server, status, code, payload, message, hint });
}

/** Says who may, where the server does not say more than that it is denied. */
export function askForAdministrator(error: unknown): never {
  const isDenied = error instanceof RefusedError && error.code === DENIED && error.message === error.meaning;
  throw isDenied ? withHint(error, 'Use the API key of an administrator.') : error;
}
