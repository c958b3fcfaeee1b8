// The three ways a call can fail: the server rejected it, its response was invalid, or there was no response.
import { ERRORS, isErrorCode } from '../contract/errors/table.ts';
import type { InvalidResponseKind, NoResponseKind } from './failure-kinds.ts';
import { wordingOf, write, type Wording } from './failure-texts.ts';
import { hintForInvalidResponse, hintForNoResponse, hintForRefusal, LIMITED_KEY } from './hints.ts';

export type { InvalidResponseKind, NoResponseKind, Wording };

/** Properties common to all failures of calls. */
export interface FailureContext {
  /** Operation of the contract, such as `getUsers`. */
  readonly operation: string;
  /** The server, as given to createClient; never contains credentials. */
  readonly server: string;
}

interface RefusedDetails extends FailureContext {
  status: number;
  code: number | null;
  message: string;
  payload: Record<string, unknown> | null;
  /** Milliseconds the server asks to wait, if it does. */
  retryAfter?: number | null;
  /** Used if the code alone does not suggest a remedy. */
  hint?: string;
}

/** The server rejected the request (contract, section 7). */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly operation: string;
  readonly server: string;
  /** HTTP status. */
  readonly status: number;
  /** Code of the table of 145; null if the response had none. */
  readonly code: number | null;
  readonly payload: Record<string, unknown> | null;
  /** The table's text for the code, or the server's own for an unknown code. */
  readonly meaning: string;
  /** What to do next, in a sentence. */
  readonly hint: string;
  /** Milliseconds the server asked to wait before trying again, or null. */
  readonly retryAfter: number | null;

  constructor(details: RefusedDetails) {
    super(details.message);
    this.operation = details.operation;
    this.server = details.server;
    this.status = details.status;
    this.code = details.code;
    this.payload = details.payload;
    this.retryAfter = details.retryAfter ?? null;
    this.meaning =
      details.code !== null && isErrorCode(details.code) ? ERRORS[details.code].message : details.message;
    const explains = details.message !== this.meaning;
    const isLimited = typeof details.payload?.['key_role'] === 'string';
    this.hint =
      details.hint ?? (isLimited ? LIMITED_KEY : hintForRefusal(details.code, details.status, explains));
  }
}

interface InvalidResponseDetails extends FailureContext {
  kind: InvalidResponseKind;
  message: string | Wording;
  status?: number | null;
  hint?: string | undefined;
  retryAfter?: number | null;
  cause?: unknown;
}

/** The response is not one of a content server: a page of a proxy, a redirect, invalid or unexpected JSON. */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
  readonly operation: string;
  readonly server: string;
  readonly kind: InvalidResponseKind;
  /** The message without its values. */
  readonly wording: Wording;
  /** HTTP status, or null if even that was unreadable. */
  readonly status: number | null;
  /** What to do next, in a sentence. */
  readonly hint: string;
  /** Milliseconds the server asked to wait before trying again, or null. */
  readonly retryAfter: number | null;

  constructor(details: InvalidResponseDetails) {
    super(write(details.message), details.cause === undefined ? {} : { cause: details.cause });
    this.wording = wordingOf(details.message);
    this.operation = details.operation;
    this.server = details.server;
    this.kind = details.kind;
    this.status = details.status ?? null;
    this.retryAfter = details.retryAfter ?? null;
    this.hint = details.hint ?? hintForInvalidResponse(details.kind, this.status);
  }
}

interface NoResponseDetails extends FailureContext {
  kind: NoResponseKind;
  message: string | Wording;
  hint?: string | undefined;
  /** Whether certainly no byte of the request reached the server. */
  nothingSent?: boolean;
  cause?: unknown;
}

/** There was no response: name resolution, connection, certificate or timeout failed, or the caller cancelled the call. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';
  readonly operation: string;
  readonly server: string;
  readonly kind: NoResponseKind;
  /** The message without its values. */
  readonly wording: Wording;
  /** What to do next, in a sentence. */
  readonly hint: string;
  /** True if certainly no byte of the request reached the server, so that repeating it is harmless. */
  readonly nothingSent: boolean;

  constructor(details: NoResponseDetails) {
    super(write(details.message), details.cause === undefined ? {} : { cause: details.cause });
    this.wording = wordingOf(details.message);
    this.operation = details.operation;
    this.server = details.server;
    this.kind = details.kind;
    this.nothingSent = details.nothingSent ?? false;
    this.hint = details.hint ?? hintForNoResponse(details.kind, details.operation);
  }
}

/** Any failure of a call. */
export type CallFailure = RefusedError | InvalidResponseError | NoResponseError;

/** Narrows an unknown error to a failure of a call. */
export function isCallFailure(error: unknown): error is CallFailure {
  return (
    error instanceof RefusedError || error instanceof InvalidResponseError || error instanceof NoResponseError
  );
}

/** The HTTP status of a failed call; null without a response, and for any other error. */
export function statusOf(error: unknown): number | null {
  return isCallFailure(error) && 'status' in error ? error.status : null;
}

/** An invalid option of createClient, such as a malformed address. The message never contains the key. */
export class ClientOptionsError extends Error {
  override readonly name = 'ClientOptionsError';
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.hint = hint;
  }
}
