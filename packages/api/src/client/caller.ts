// Sends one call and reads its response: retries, notices, and removal of secrets from messages.
import type { Endpoint } from '../contract/endpoint.ts';
import { normalizeServerUrl } from './base-url.ts';
import type { ClientOptions, Notice } from './client.ts';
import { systemClock } from './clock.ts';
import { NO_RESPONSE, wording } from './failure-texts.ts';
import { isCallFailure, NoResponseError, type FailureContext } from './failures.ts';
import type { CallOptions } from './methods.ts';
import { refuseFailures, type ReadOptions } from './read-response.ts';
import { retryDelay } from './retry.ts';
import {
  createTransport,
  type ConnectionFactory,
  DEFAULT_TIMEOUTS,
  type Exchange,
  type RawResponse,
  type Timeouts,
} from './transport.ts';
import { VERSION } from './version.ts';

export interface Sending {
  name: string;
  /** Relative to the base path. */
  path: string;
  method: Exchange['method'];
  exchange?: Omit<Exchange, 'operation' | 'method' | 'path' | 'signal'>;
  endpoint?: Endpoint;
  /** Disables retries: a stream can be sent only once. */
  once?: boolean;
}

export interface Caller {
  /** The normalised address. */
  url: string;
  timeouts: Timeouts;
  /** Sends, with retries where harmless, and passes the successful response to `use`. */
  exchange<T>(sending: Sending, call: CallOptions, use: (response: RawResponse) => Promise<T>): Promise<T>;
  /** Sends once and returns the response, whatever its status. */
  visit(sending: Sending, call: CallOptions): Promise<RawResponse>;
  /** What reading a response of this call needs. */
  reading(name: string, call: CallOptions): ReadOptions;
  close(): Promise<void>;
}

const DEFAULT_RETRIES = 3;

/** Opens no connection. Throws ClientOptionsError. */
export function createCaller(options: ClientOptions, connect: ConnectionFactory): Caller {
  const url = normalizeServerUrl(options.url);
  const apiKey = options.apiKey?.trim() || undefined;
  const clock = options.clock ?? systemClock;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const notice = (item: Notice) => options.onNotice?.(item);
  const transport = createTransport(
    {
      url,
      apiKey,
      userAgent: options.userAgent ?? `pressroom/${VERSION}`,
      timeouts,
      ca: options.ca,
      proxy: options.proxy,
      env: options.env ?? {},
      clock,
      onWarning: (message) => notice({ kind: 'certificates', message }),
    },
    connect,
  );
  const deprecated = new Set<string>();

  // A server may echo the request; the key must not appear in a message.
  const redact = (text: string) => (apiKey === undefined ? text : text.replaceAll(apiKey, '***'));
  const signalOf = (call: CallOptions) => {
    const signals = [options.signal, call.signal].filter((signal) => signal !== undefined);
    return signals.length > 1 ? AbortSignal.any(signals) : signals[0];
  };
  const reading = (name: string, call: CallOptions) => {
    const context: FailureContext = { operation: name, server: url };
    return { context, redact, now: clock.now(), signal: signalOf(call) };
  };

  const visit = (sending: Sending, call: CallOptions) =>
    transport.send({
      ...sending.exchange,
      operation: sending.name,
      method: sending.method,
      path: sending.path,
      signal: signalOf(call),
    });

  async function attempt(sending: Sending, call: CallOptions): Promise<RawResponse> {
    const response = await visit(sending, call);
    if (sending.endpoint !== undefined) reportDeprecation(sending.name, sending.endpoint, response);
    await refuseFailures(response, reading(sending.name, call));
    return response;
  }

  /** `use` reads the response inside the attempt, so that a connection lost halfway is retried, too. */
  async function exchange<T>(
    sending: Sending,
    call: CallOptions,
    use: (response: RawResponse) => Promise<T>,
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
      throw new NoResponseError({
        operation: name,
        server: url,
        kind: 'aborted',
        message: wording(NO_RESPONSE.aborted, url, ''),
        cause: signal.reason,
      });
    }
  }

  function reportDeprecation(name: string, endpoint: Endpoint, response: RawResponse): void {
    const header = response.headers['x-deprecated-endpoint'];
    const id = `${endpoint.method} ${endpoint.path}`;
    if (header === undefined || deprecated.has(id)) return;
    deprecated.add(id);
    const replacement = redact(String(header));
    notice({
      kind: 'deprecated',
      operation: name,
      endpoint: id,
      replacement: replacement === 'n/a' ? null : replacement,
      message: `The server will remove ${id}${replacement === 'n/a' ? '' : ` in favour of ${replacement}`}.`,
    });
  }

  return { url, timeouts, exchange, visit, reading, close: () => transport.close() };
}
