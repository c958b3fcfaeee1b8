// One HTTP exchange with one server over undici: proxy, certificates, timeouts, cookies, and failures told apart.
import type { Readable } from 'node:stream';
import { EnvHttpProxyAgent, type Dispatcher } from 'undici';
import { trustedAuthorities } from './certificates.ts';
import type { ClientClock } from './clock.ts';
import { createCookieJar } from './cookies.ts';
import { ClientOptionsError, type FailureContext } from './failures.ts';
import { toFailure } from './no-answer.ts';
import { chooseProxy } from './proxy.ts';

/** Limits of the phases of one exchange, in milliseconds; 0 is none. */
export interface Timeouts {
  /** Until the connection, with TLS, stands. */
  connect: number;
  /** From the end of the request to the head of the answer; a long poll adds what it waits. */
  headers: number;
  /** Between two pieces of the answer. */
  body: number;
  /** As `headers`, after an upload, when the server stores and checks the archive. */
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

export interface Exchange {
  operation: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base path, with its query; begins with a slash. */
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer | Readable;
  /** Milliseconds; `timeouts.headers` when absent. */
  headersTimeout?: number;
  signal?: AbortSignal | undefined;
}

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Must be read to its end, dumped or destroyed. */
  body: Dispatcher.ResponseData['body'];
}

export interface Transport {
  /** Sends one request, never follows redirects. Throws NoAnswerError, or BadAnswerError for what is not HTTP. */
  send(exchange: Exchange): Promise<RawAnswer>;
  close(): Promise<void>;
}

/** Opens no connection before the first request. Throws ClientOptionsError. */
export function createTransport(options: TransportOptions): Transport {
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
  const dispatcher = createDispatcher(options, base.protocol);

  async function send(exchange: Exchange): Promise<RawAnswer> {
    const context: FailureContext = { operation: exchange.operation, server: options.url };
    const { signal } = exchange;
    try {
      signal?.throwIfAborted();
      const cookie = jar.header();
      const xsrf = apiKey === undefined ? jar.get('RSC-XSRF') : undefined;
      const answer = await dispatcher.request({
        // Always the one origin: whatever an answer links to, the key goes nowhere else.
        origin: base.origin,
        path: `${basePath}${exchange.path}`,
        method: exchange.method,
        headers: {
          accept: 'application/json',
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
      jar.store([answer.headers['set-cookie'] ?? []].flat());
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    } catch (error) {
      throw toFailure(error, context, signal);
    }
  }

  return { send, close: () => dispatcher.destroy() };
}

function createDispatcher(options: TransportOptions, scheme: string): Dispatcher {
  const ca = trustedAuthorities({ ca: options.ca, env: options.env, onWarning: options.onWarning });
  const connect = { timeout: options.timeouts.connect, ...(ca !== undefined && { ca }) };
  return new EnvHttpProxyAgent({
    ...chooseProxy(scheme, options.env, options.proxy),
    // HTTP/2 gains nothing here, and proxies differ in how they carry long uploads over it.
    allowH2: false,
    connect,
    requestTls: connect,
    proxyTls: connect,
    connectTimeout: options.timeouts.connect,
  });
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
