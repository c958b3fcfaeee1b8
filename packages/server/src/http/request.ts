// Input and output of handlers, typed by operation.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { ResponseOf, BodyOf, OperationId, Operations, ParamsOf, QueryOf } from '@pressroom/api/contract';
import type { Caller } from '../sign-in/authenticator.ts';
import type { Portions } from './portions.ts';

type CallerOf<E> = E extends { access: 'anyone' | 'first-user' } ? Caller | null : Caller;

export interface ApiRequest<Id extends OperationId> {
  readonly caller: CallerOf<Operations[Id]>;
  readonly params: ParamsOf<Operations[Id]>;
  readonly query: QueryOf<Operations[Id]>;
  readonly body: BodyOf<Operations[Id]>;
  /** The public address of the server, without a trailing slash. */
  readonly base: string;
  /** Requested path and query, relative to the base. */
  readonly url: string;
  /** The client's address, behind trusted proxies. */
  readonly visitor: string;
  /** For headers, and the bytes of an upload. */
  readonly raw: IncomingMessage;
  /** Adds a header to the response. */
  readonly setHeader: (name: string, value: string) => void;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** The caller as of now, for responses that were waited for: keys, accounts and roles may have changed. @throws ApiError */
  readonly again: () => Promise<CallerOf<Operations[Id]>>;
}

/** A small file as a response. */
export interface FileResponse {
  readonly bytes: Buffer;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The archive of a bundle, as a stream. */
export interface ArchiveResponse {
  readonly stream: Readable;
  readonly size: number;
  readonly md5: string;
  readonly name: string;
}

/** A tar archive, as a stream. */
export interface TarResponse {
  readonly stream: Readable;
  readonly size: number;
  readonly name: string;
}

export type ApiResponse<Id extends OperationId> = Operations[Id]['response'] extends 'archive'
  ? ArchiveResponse
  : Operations[Id]['response'] extends 'tar'
    ? TarResponse
    : Operations[Id]['response'] extends 'file'
      ? FileResponse | (Operations[Id] extends { mayBeEmpty: true } ? null : never)
      : Operations[Id]['response'] extends 'empty'
        ? void
        : JsonResponse<ResponseOf<Operations[Id]>>;

type JsonResponse<Response> = Response | (Response extends readonly (infer Item)[] ? Portions<Item> : never);

/** Handles an operation, given its dependencies. */
export type Handler<Id extends OperationId, Parts> = (
  parts: Parts,
  request: ApiRequest<Id>,
) => Promise<ApiResponse<Id>> | ApiResponse<Id>;
export type Handlers<Parts> = { readonly [Id in OperationId]: Handler<Id, Parts> };
