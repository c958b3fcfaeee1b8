// A visit forwarded from one server to another: data in addition to the visitor's request, and possible failures.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ApiErrorBody, ApiError, isErrorCode } from '@pressroom/api/contract';
import { NODE_HEADER } from '../cluster/cluster.ts';
import { toApiError } from '../http/error-handler.ts';
import { Unavailable } from '../runtime/unavailable.ts';
import type { Credentials } from './content-visitors.ts';

/** Sent by the server that the visitor came to. The other one checks the visitor's rights itself. */
export interface ForwardedVisit {
  readonly content: string;
  /** Path of a draft, as in an address; null for the active deploy. */
  readonly version: string | null;
  readonly credentials: Credentials;
  readonly url: string;
  readonly isAlone: boolean;
  readonly policy: string | null;
  readonly remoteAddress: string;
  /** Path relative to the content, with the query. */
  readonly path: string;
  /** The only suitable process; null for any of the content. */
  readonly process: string | null;
}

export const VISIT_HEADER = 'pressroom-visit';
/** Header of a response that is for the forwarding server, not for the visitor. */
export const OUTCOME_HEADER = 'pressroom-outcome';

/** Why a visit was not answered: the process is not here, it is unavailable, or the visitor is not authorized. */
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

/** @throws unless one of our servers has written it. */
export function readForwarded({ headers }: IncomingMessage): ForwardedVisit {
  const text = headers[VISIT_HEADER];
  if (typeof text !== 'string') throw new Error('the request names no visit');
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as ForwardedVisit;
}

/** Thrown if the process of a visit is not on this server. */
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

/** The error for the visitor. */
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

/** A WebSocket has no response object. */
export function refuseSocket(socket: Duplex, outcome: Outcome): void {
  if (socket.destroyed) return;
  const json = JSON.stringify(outcome);
  socket.end(
    `HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n${OUTCOME_HEADER}: ${outcome.kind}\r\n` +
      `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  );
}

/** Null for a response to the visitor. */
export async function readOutcome(response: IncomingMessage): Promise<Outcome | null> {
  if (response.headers[NODE_HEADER] !== undefined) {
    response.resume();
    return { kind: 'gone' };
  }
  if (response.headers[OUTCOME_HEADER] === undefined) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Outcome;
}

/** @throws NotHere */
export function requireHere(isHere: boolean): void {
  if (!isHere) throw new NotHere();
}
