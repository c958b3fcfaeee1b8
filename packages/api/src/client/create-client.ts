// The client of a content server: one generic call driven by the contract's data, in whichever dialect the server speaks.
import { Readable } from 'node:stream';
import { operations } from '../contract/index.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { normalizeServerUrl } from './base-url.ts';
import { systemClock, type ClientClock } from './clock.ts';
import { formFor, gaFormOf, isMissingEndpoint, normalize } from './dialects.ts';
import { BadAnswerError, isCallFailure, NoAnswerError, type FailureContext } from './failures.ts';
import type {
  BundleDownload,
  CallOptions,
  Dialect,
  Iterators,
  Methods,
  UploadArguments,
  UploadReceipt,
  UploadOptions,
} from './methods.ts';
import { eachByCursor, eachByNumber } from './pages.ts';
import { conform, discard, readJson, refuseFailures } from './read-answer.ts';
import { bodyOf, pathOf } from './request.ts';
import { retryDelay } from './retry.ts';
import {
  createTransport,
  DEFAULT_TIMEOUTS,
  type Exchange,
  type RawAnswer,
  type Timeouts,
} from './transport.ts';
import { countedArchive } from './upload-source.ts';

/** Something a person may want to know that is no failure. Never holds secrets. */
export type Notice =
  | {
      kind: 'deprecated';
      operation: string;
      /** Method and path template of the deprecated endpoint. */
      endpoint: string;
      /** Path of the replacement, or null when there is none. */
      replacement: string | null;
      message: string;
    }
  /** `delay` in milliseconds. */
  | { kind: 'retry'; operation: string; attempt: number; delay: number; message: string }
  | { kind: 'certificates'; message: string };

export interface ClientOptions {
  /** Address of the server, with its sub-path; `/__api__` at its end is passed over. */
  url: string;
  apiKey?: string | undefined;
  /** `auto` (default) asks the server once. */
  dialect?: Dialect | 'auto';
  /** Milliseconds per phase; see Timeouts. */
  timeouts?: Partial<Timeouts>;
  /** Certificate authorities trusted in addition to the usual ones: PEM text or paths of PEM files. */
  ca?: string | readonly string[] | undefined;
  /** Address of a proxy, or false for none; otherwise the environment decides. */
  proxy?: string | false | undefined;
  /** Read for http_proxy, https_proxy, all_proxy, no_proxy (both letter cases) and the certificate variables. */
  env?: Readonly<Record<string, string | undefined>>;
  userAgent?: string;
  onNotice?: (notice: Notice) => void;
  /** Stops every call of this client. */
  signal?: AbortSignal | undefined;
  clock?: ClientClock;
  /** Further attempts after a harmless failure; 3 by default. */
  retries?: number;
}

/** One method per operation, iterators in `each`, and what concerns the server as a whole. */
export type Client = Methods & {
  /** Address of the server without trailing slash. */
  readonly url: string;
  readonly each: Iterators;
  /** Which form the server speaks; asks it the first time. */
  dialect(options?: CallOptions): Promise<Dialect>;
  /** `GET /__ping__`: whether a content server answers there at all. */
  ping(options?: CallOptions): Promise<void>;
  /** Signs in with name and password; the session lives in this client's cookies until it is closed. */
  login(credentials: { username: string; password: string }, options?: CallOptions): Promise<void>;
  /** Opens `/content/{guid}/` as a visitor and gives the HTTP status; 500 and above means that it does not run. */
  openContent(args: { guid: string }, options?: CallOptions): Promise<{ status: number }>;
  /** Ends the connections; calls that are still running fail. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

type Arguments = Readonly<Record<string, unknown>>;

interface Sending {
  name: string;
  /** Below the base path. */
  path: string;
  method: Exchange['method'];
  exchange?: Omit<Exchange, 'operation' | 'method' | 'path' | 'signal'>;
  endpoint?: Endpoint;
  /** Whether trying again is allowed at all; a stream can be sent once only. */
  once?: boolean;
}

const DEFAULT_RETRIES = 3;
/** A long poll may take what it waits, and then as long as any other call. */
const MILLISECONDS = 1000;

/**
 * Creates a client. Opens no connection. Methods throw RefusedError, BadAnswerError or NoAnswerError, and TypeError
 * for arguments that cannot be sent. Throws ClientOptionsError for options that cannot work.
 */
export function createClient(options: ClientOptions): Client {
  const url = normalizeServerUrl(options.url);
  const apiKey = options.apiKey?.trim() || undefined;
  const clock = options.clock ?? systemClock;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const notice = (item: Notice) => options.onNotice?.(item);
  const transport = createTransport({
    url,
    apiKey,
    userAgent: options.userAgent ?? 'pressroom/0.1.0',
    timeouts,
    ca: options.ca,
    proxy: options.proxy,
    env: options.env ?? {},
    clock,
    onWarning: (message) => notice({ kind: 'certificates', message }),
  });
  const deprecated = new Set<string>();
  let known: Dialect | undefined = options.dialect === 'auto' ? undefined : options.dialect;
  const automatic = options.dialect === undefined || options.dialect === 'auto';

  // A server may echo what it was sent; the key must not come back in a message.
  const redact = (text: string) => (apiKey === undefined ? text : text.replaceAll(apiKey, '***'));
  const signalOf = (call: CallOptions) => {
    const signals = [options.signal, call.signal].filter((signal) => signal !== undefined);
    return signals.length > 1 ? AbortSignal.any(signals) : signals[0];
  };
  const reading = (name: string, call: CallOptions) => {
    const context: FailureContext = { operation: name, server: url };
    return { context, redact, now: clock.now(), signal: signalOf(call) };
  };

  async function attempt(sending: Sending, call: CallOptions): Promise<RawAnswer> {
    const answer = await transport.send({
      ...sending.exchange,
      operation: sending.name,
      method: sending.method,
      path: sending.path,
      signal: signalOf(call),
    });
    if (sending.endpoint !== undefined) reportDeprecation(sending.name, sending.endpoint, answer);
    await refuseFailures(answer, reading(sending.name, call));
    return answer;
  }

  /** `use` reads the answer inside the attempt, so that a connection lost half-way through it is tried again too. */
  async function exchange<T>(
    sending: Sending,
    call: CallOptions,
    use: (answer: RawAnswer) => Promise<T>,
  ): Promise<T> {
    const retries = sending.once === true ? 0 : (call.retries ?? options.retries ?? DEFAULT_RETRIES);
    for (let failures = 0; ; failures += 1) {
      try {
        return await use(await attempt(sending, call));
      } catch (error) {
        if (!isCallFailure(error) || failures >= retries) throw error;
        const delay = retryDelay(error, failures, sending.method === 'GET', clock);
        if (delay === undefined) throw error;
        notice({
          kind: 'retry',
          operation: sending.name,
          attempt: failures + 1,
          delay,
          message: error.message,
        });
        await pause(delay, sending.name, call);
      }
    }
  }

  async function pause(delay: number, name: string, call: CallOptions): Promise<void> {
    const signal = signalOf(call);
    try {
      await clock.sleep(delay, signal);
    } catch (error) {
      if (signal?.aborted !== true) throw error;
      const message = `No answer from ${url}: the call was stopped.`;
      throw new NoAnswerError({
        operation: name,
        server: url,
        kind: 'aborted',
        message,
        cause: signal.reason,
      });
    }
  }

  function reportDeprecation(name: string, endpoint: Endpoint, answer: RawAnswer): void {
    const header = answer.headers['x-deprecated-endpoint'];
    const id = `${endpoint.method} ${endpoint.path}`;
    if (header === undefined || deprecated.has(id)) return;
    deprecated.add(id);
    const replacement = redact(String(header));
    notice({
      kind: 'deprecated',
      operation: name,
      endpoint: id,
      replacement: replacement === 'n/a' ? null : replacement,
      message: `The server will give up ${id}${replacement === 'n/a' ? '' : ` in favour of ${replacement}`}.`,
    });
  }

  function sendingOf(name: string, endpoint: Endpoint, args: Arguments): Sending {
    const body = bodyOf(endpoint, args);
    const wait = typeof args['wait'] === 'number' ? args['wait'] * MILLISECONDS : 0;
    return {
      name,
      endpoint,
      method: endpoint.method,
      path: pathOf(endpoint, args),
      exchange: {
        ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
        ...(wait > 0 && timeouts.headers > 0 && { headersTimeout: timeouts.headers + wait }),
      },
    };
  }

  async function callForm(
    name: string,
    endpoint: Endpoint,
    args: Arguments,
    call: CallOptions,
  ): Promise<unknown> {
    return exchange(sendingOf(name, endpoint, args), call, async (answer) => {
      if (endpoint.answer === 'empty') return discard(answer);
      const read = reading(name, call);
      return normalize(name, conform(endpoint, await readJson(answer, read), read.context), args);
    });
  }

  async function dialect(call: CallOptions = {}): Promise<Dialect> {
    if (known !== undefined) return known;
    try {
      await callForm('getCurrentUser', operations.getCurrentUser, {}, call);
      known = 'ga';
    } catch (error) {
      const status = isCallFailure(error) && !(error instanceof NoAnswerError) ? error.status : null;
      if (status !== 404) throw error;
      known = 'experimental';
    }
    return known;
  }

  /** Runs a call in the server's dialect; a server that knows its caller but not this path is asked the older way. */
  async function inDialect<T>(
    name: string,
    args: Arguments,
    call: CallOptions,
    run: (endpoint: Endpoint) => Promise<T>,
  ): Promise<T> {
    if (gaFormOf(name) === undefined)
      return run((operations as unknown as Record<string, Endpoint>)[name] as Endpoint);
    const form = formFor(name, await dialect(call), args);
    try {
      return await run(form);
    } catch (error) {
      const older = formFor(name, 'experimental', args);
      if (!automatic || form === older || !isMissingEndpoint(error)) throw error;
      const result = await run(older);
      known = 'experimental';
      return result;
    }
  }

  const call = (name: string, args: Arguments = {}, callOptions: CallOptions = {}) =>
    inDialect(name, args, callOptions, (endpoint) => callForm(name, endpoint, args, callOptions));

  async function uploadContentBundle(
    args: UploadArguments,
    callOptions: UploadOptions = {},
  ): Promise<UploadReceipt> {
    const name = 'uploadContentBundle';
    const endpoint = formFor(name, await dialect(callOptions), { guid: args.guid });
    const size = args.archive instanceof Readable ? args.size : args.archive.byteLength;
    const source = countedArchive(args.archive, callOptions.onProgress);
    const headers = {
      'content-type': 'application/gzip',
      ...(size !== undefined && { 'content-length': String(size) }),
      ...(args.checksum !== undefined && { 'x-content-checksum': args.checksum }),
    };
    const sending: Sending = {
      name,
      endpoint,
      method: endpoint.method,
      path: pathOf(endpoint, { guid: args.guid }),
      exchange: { body: source.stream, headers, headersTimeout: timeouts.upload },
      once: true,
    };
    try {
      return await exchange(sending, callOptions, async (answer) => {
        const { context, ...rest } = reading(name, callOptions);
        const json = conform(endpoint, await readJson(answer, { context, ...rest }), context) as Record<
          string,
          unknown
        >;
        const received = json['size'];
        return {
          bundle_id: String(json['bundle_id'] ?? json['id']),
          size: typeof received === 'number' ? received : null,
          checksum: checksumOf(answer),
        };
      });
    } catch (error) {
      // What failed while reading the archive is the cause, whatever the connection made of it.
      throw source.failure() ?? error;
    } finally {
      source.release();
    }
  }

  async function downloadBundle(
    args: { id: string; guid?: string },
    callOptions: CallOptions = {},
  ): Promise<BundleDownload> {
    return inDialect('downloadBundle', args, callOptions, (endpoint) =>
      exchange(sendingOf('downloadBundle', endpoint, args), callOptions, async (answer) => {
        const length = Number(answer.headers['content-length'] ?? Number.NaN);
        if (/html/i.test(String(answer.headers['content-type'] ?? ''))) {
          await discard(answer);
          throw new BadAnswerError({
            operation: 'downloadBundle',
            server: url,
            kind: 'html',
            status: answer.status,
            message: `${url} answered with a web page instead of the archive.`,
          });
        }
        return { stream: answer.body, size: Number.isSafeInteger(length) ? length : null };
      }),
    );
  }

  const plain = (name: string, method: 'GET' | 'POST', path: string, body?: object): Sending => ({
    name,
    method,
    path,
    ...(body !== undefined && {
      exchange: { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
    }),
  });

  const methods = Object.fromEntries(
    Object.keys(operations)
      .filter((name) => !name.endsWith('Ga'))
      .map((name) => [name, (args?: Arguments, callOptions?: CallOptions) => call(name, args, callOptions)]),
  );
  const each = Object.fromEntries(
    Object.values(operations as unknown as Record<string, Endpoint>)
      .filter((operation) => operation.paging !== undefined)
      .map(({ operationId: name, paging }) => [
        name,
        (args: Arguments = {}, callOptions?: CallOptions) => {
          const fetch = (page: Arguments) => call(name, page, callOptions);
          return paging === 'keyset' ? eachByCursor(fetch, args, name, url) : eachByNumber(fetch, args);
        },
      ]),
  );
  const close = () => transport.close();

  const client = {
    ...methods,
    url,
    each,
    uploadContentBundle,
    downloadBundle,
    listContent: (args: Arguments = {}, callOptions: CallOptions = {}) =>
      callForm('listContent', operations.listContentGa, args, callOptions),
    dialect,
    ping: (callOptions: CallOptions = {}) =>
      exchange(plain('ping', 'GET', '/__ping__'), callOptions, async (answer) => {
        await readJson(answer, reading('ping', callOptions));
      }),
    login: (credentials: { username: string; password: string }, callOptions: CallOptions = {}) => {
      const { username, password } = credentials;
      return exchange(plain('login', 'POST', '/__login__', { username, password }), callOptions, discard);
    },
    openContent: async ({ guid }: { guid: string }, callOptions: CallOptions = {}) => {
      const path = `/content/${encodeURIComponent(guid)}/`;
      const answer = await transport.send({
        operation: 'openContent',
        method: 'GET',
        path,
        headers: { accept: '*/*' },
        signal: signalOf(callOptions),
      });
      await discard(answer);
      return { status: answer.status };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return client as unknown as Client;
}

/** The MD5 a server gives for what it received, as lower-case hex; null when it gives none. */
function checksumOf(answer: RawAnswer): string | null {
  const text = String(answer.headers['x-content-checksum'] ?? '').trim();
  if (/^[0-9a-f]{32}$/i.test(text)) return text.toLowerCase();
  return /^[A-Za-z0-9+/]{22}==$/.test(text) ? Buffer.from(text, 'base64').toString('hex') : null;
}
