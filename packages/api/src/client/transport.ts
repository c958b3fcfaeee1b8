// One HTTP exchange with one server over a connection: headers, cookies, classified failures.
import type { Readable } from 'node:stream';
import type { ClientClock } from './clock.ts';
import { createCookieJar } from './cookies.ts';
import { ClientOptionsError, type FailureContext } from './failures.ts';
import { toFailure } from './no-response.ts';

/** Time limits of the phases of an exchange, in milliseconds; 0 for none. */
export interface Timeouts {
  /** Until connected, including TLS. */
  connect: number;
  /** From the end of the request to the response headers; a long poll adds its wait time. */
  headers: number;
  /** Between two chunks of the body. */
  body: number;
  /** Like `headers`, after an upload, while the server stores and checks the archive. */
  upload: number;
}

export const DEFAULT_TIMEOUTS: Readonly<Timeouts> = {
  connect: 10_000,
  headers: 60_000,
  body: 60_000,
  upload: 600_000,
};

export interface TransportOptions {
  /** Normalised address. */
  url: string;
  apiKey: string | undefined;
  userAgent: string;
  timeouts: Timeouts;
  ca: string | readonly string[] | undefined;
  proxy: string | false | undefined;
  env: Readonly<Record<string, string | undefined>>;
  clock: ClientClock;
  onWarning: (message: string) => void;
}

/** A request for a connection; always to the one origin it was created for. */
export interface ConnectionRequest {
  origin: string;
  path: string;
  method: Exchange['method'];
  headers: Record<string, string>;
  body?: string | Buffer | Readable;
  /** Milliseconds from the end of the request to the response headers; 0 for none. */
  headersTimeout: number;
  /** Milliseconds between two chunks of the body; 0 for none. */
  bodyTimeout: number;
  signal?: AbortSignal;
}

export interface ConnectionResponse {
  statusCode: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
}

/** Carries requests over the network: undici in standalone programs, node:https within an editor. */
export interface Connection {
  request(request: ConnectionRequest): Promise<ConnectionResponse>;
  destroy(): Promise<void>;
}

/** Opens no connection before the first request. Throws ClientOptionsError. */
export type ConnectionFactory = (options: TransportOptions) => Connection;

export interface Exchange {
  operation: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base path, with query; starts with a slash. */
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer | Readable;
  /** Milliseconds; `timeouts.headers` by default. */
  headersTimeout?: number;
  signal?: AbortSignal | undefined;
}

export interface RawResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Must be read to its end or destroyed. */
  body: Readable;
}

export interface Transport {
  /**
   * Sends one request, never follows redirects. Throws NoResponseError, or InvalidResponseError if the response is not HTTP.
   */
  send(exchange: Exchange): Promise<RawResponse>;
  close(): Promise<void>;
}

/** Opens no connection before the first request. Throws ClientOptionsError. */
export function createTransport(options: TransportOptions, connect: ConnectionFactory): Transport {
  const base = new URL(options.url);
  const { apiKey, timeouts } = options;
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ClientOptionsError(
      'The API key holds characters that no key has.',
      'Copy the key again, without spaces or line breaks.',
    );
  }
  const basePath = base.pathname.replace(/\/$/, '');
  const jar = createCookieJar({ basePath, now: options.clock.now });
  const connection = connect(options);

  async function send(exchange: Exchange): Promise<RawResponse> {
    const context: FailureContext = { operation: exchange.operation, server: options.url };
    const { signal } = exchange;
    try {
      signal?.throwIfAborted();
      const cookie = jar.header();
      const xsrf = apiKey === undefined ? jar.get('RSC-XSRF') : undefined;
      const response = await connection.request({
        // Always this origin: whatever a response links to, the key is sent nowhere else.
        origin: base.origin,
        path: `${basePath}${exchange.path}`,
        method: exchange.method,
        headers: {
          accept: 'application/json',
          // Without it, a server or proxy may choose any encoding (RFC 9110, 12.5.3), and none is decoded here.
          'accept-encoding': 'identity',
          'user-agent': options.userAgent,
          ...(apiKey !== undefined && { authorization: `Key ${apiKey}` }),
          ...(cookie !== undefined && { cookie }),
          ...(xsrf !== undefined && { 'x-rsc-xsrf': decodeURIComponentSafely(xsrf) }),
          ...exchange.headers,
        },
        ...(exchange.body !== undefined && { body: exchange.body }),
        headersTimeout: exchange.headersTimeout ?? timeouts.headers,
        bodyTimeout: timeouts.body,
        ...(signal !== undefined && { signal }),
      });
      jar.store([response.headers['set-cookie'] ?? []].flat());
      return { status: response.statusCode, headers: response.headers, body: response.body };
    } catch (error) {
      throw toFailure(error, context, signal);
    }
  }

  return { send, close: () => connection.destroy() };
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
