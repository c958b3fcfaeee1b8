// A visit that one server hands on to another: what is said beside the visitor's own request, and how it may fail.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ApiErrorBody, ApiError, isErrorCode } from '@pressroom/api/contract';
import { toApiError } from '../http/error-handler.ts';
import { Unavailable } from '../runtime/unavailable.ts';
import type { Credentials } from './content-visitors.ts';

/** Said by the server that the visitor came to. The other one asks for the rights of the visitor itself. */
export interface ForwardedVisit {
  readonly content: string;
  /** Names a draft, as an address does; null: the active deploy. */
  readonly version: string | null;
  readonly credentials: Credentials;
  readonly url: string;
  readonly isAlone: boolean;
  readonly policy: string | null;
  readonly remoteAddress: string;
  /** Path behind the content's own, with the query. */
  readonly path: string;
  /** The one process that will do; null: any of the content. */
  readonly process: string | null;
}

export const VISIT_HEADER = 'pressroom-visit';
/** Of an answer that is none: the visitor is not told, but the server that handed the visit on. */
export const OUTCOME_HEADER = 'pressroom-outcome';

/** Why a visit was not answered: the process is not here, it cannot answer, or the visitor may not be here. */
export type Outcome =
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'unavailable';
      readonly status: Unavailable['status'];
      readonly title: string;
      readonly message: string;
    }
  | { readonly kind: 'refused'; readonly body: ApiErrorBody };

export function writeForwarded(forwarded: ForwardedVisit): string {
  return Buffer.from(JSON.stringify(forwarded)).toString('base64url');
}

/** @throws for what no server of ours has written. */
export function readForwarded({ headers }: IncomingMessage): ForwardedVisit {
  const text = headers[VISIT_HEADER];
  if (typeof text !== 'string') throw new Error('the request names no visit');
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as ForwardedVisit;
}

/** Thrown where the process that a visit is for is not on this server. */
export class NotHere extends Error {
  override readonly name = 'NotHere';
}

export function outcomeOf(error: unknown): Outcome {
  if (error instanceof NotHere) return { kind: 'gone' };
  if (error instanceof Unavailable) {
    const { status, title, message } = error;
    return { kind: 'unavailable', status, title, message };
  }
  return { kind: 'refused', body: toApiError(error).toJSON() };
}

/** What the visitor is told where it came to. */
export function errorOf(outcome: Exclude<Outcome, { kind: 'gone' }>): Error {
  if (outcome.kind === 'unavailable') return new Unavailable(outcome.status, outcome.title, outcome.message);
  const { code, error } = outcome.body;
  return new ApiError(isErrorCode(code) ? code : 1, { message: error });
}

export function sendOutcome(response: ServerResponse, outcome: Outcome): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const json = JSON.stringify(outcome);
  const headers = { [OUTCOME_HEADER]: outcome.kind, 'Content-Length': Buffer.byteLength(json) };
  response.writeHead(503, headers).end(json);
}

/** There is no response object for a socket. */
export function refuseSocket(socket: Duplex, outcome: Outcome): void {
  if (socket.destroyed) return;
  const json = JSON.stringify(outcome);
  socket.end(
    `HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n${OUTCOME_HEADER}: ${outcome.kind}\r\n` +
      `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  );
}

/** Null where an answer is one for the visitor. */
export async function readOutcome(answer: IncomingMessage): Promise<Outcome | null> {
  if (answer.headers[OUTCOME_HEADER] === undefined) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Outcome;
}

/** @throws NotHere */
export function requireHere(isHere: boolean): void {
  if (!isHere) throw new NotHere();
}
