// What a handler is given, and what it answers: both typed by the operation.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { AnswerOf, BodyOf, OperationId, Operations, ParamsOf, QueryOf } from '@pressroom/api/contract';
import type { Caller } from '../sign-in/authenticator.ts';

type CallerOf<E> = E extends { access: 'anyone' | 'first-user' } ? Caller | null : Caller;

export interface ApiRequest<Id extends OperationId> {
  readonly caller: CallerOf<Operations[Id]>;
  readonly params: ParamsOf<Operations[Id]>;
  readonly query: QueryOf<Operations[Id]>;
  readonly body: BodyOf<Operations[Id]>;
  /** The address of the server as the client sees it, without a slash at the end. */
  readonly base: string;
  /** The path and query as asked for, behind the base. */
  readonly url: string;
  /** The address the request comes from, behind trusted proxies. */
  readonly visitor: string;
  /** Headers, and the bytes of an upload. */
  readonly raw: IncomingMessage;
  /** Adds a header to the answer. */
  readonly setHeader: (name: string, value: string) => void;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

/** A small file as an answer. */
export interface FileAnswer {
  readonly bytes: Buffer;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The archive of a bundle on its way out. */
export interface ArchiveAnswer {
  readonly stream: Readable;
  readonly size: number;
  readonly md5: string;
  readonly name: string;
}

/** A tar archive on its way out. */
export interface TarAnswer {
  readonly stream: Readable;
  readonly size: number;
  readonly name: string;
}

export type ApiAnswer<Id extends OperationId> = Operations[Id]['answer'] extends 'archive'
  ? ArchiveAnswer
  : Operations[Id]['answer'] extends 'tar'
    ? TarAnswer
    : Operations[Id]['answer'] extends 'file'
      ? FileAnswer | null
      : Operations[Id]['answer'] extends 'empty'
        ? void
        : AnswerOf<Operations[Id]>;

/** Answers an operation, with the parts of the server that it takes. */
export type Handler<Id extends OperationId, Parts> = (
  parts: Parts,
  request: ApiRequest<Id>,
) => Promise<ApiAnswer<Id>> | ApiAnswer<Id>;
export type Handlers<Parts> = { readonly [Id in OperationId]: Handler<Id, Parts> };
