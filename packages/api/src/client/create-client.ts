// The client of a content server: one generic call driven by the contract's data, in whichever dialect the server speaks.
import type { Endpoint } from '../contract/endpoint.ts';
import { operations } from '../contract/index.ts';
import { createCaller, type Sending } from './caller.ts';
import type { Client, ClientOptions } from './client.ts';
import { conform } from './conform.ts';
import { formFor, gaFormOf, isMissingEndpoint, normalize } from './dialects.ts';
import { statusOf } from './failures.ts';
import type {
  BundleDownload,
  CallOptions,
  Dialect,
  UploadArguments,
  UploadOptions,
  UploadReceipt,
} from './methods.ts';
import { eachByCursor, eachByNumber } from './pages.ts';
import { discard, readJson, readNothing } from './read-response.ts';
import { type Arguments, sendingOf } from './request.ts';
import { download, upload } from './transfers.ts';
import type { ConnectionFactory, RawResponse } from './transport.ts';
import { undiciConnection } from './undici-connection.ts';

/** Methods that change an existing object. */
const CHANGES: ReadonlySet<string> = new Set(['PUT', 'PATCH']);

/** Creates a client over undici, for programs of their own; see createClientOver. */
export function createClient(options: ClientOptions): Client {
  return createClientOver(options, undiciConnection);
}

/**
 * Creates a client over connections of the caller's choice. Opens no connection. Methods throw RefusedError,
 * InvalidResponseError or NoResponseError, and TypeError for arguments that cannot be sent. Throws ClientOptionsError for
 * options that cannot work.
 */
export function createClientOver(options: ClientOptions, connect: ConnectionFactory): Client {
  const caller = createCaller(options, connect);
  const { url, timeouts, exchange, visit, reading, close } = caller;
  const { dialect: given = 'auto' } = options;
  const automatic = given === 'auto';
  let known = given === 'auto' ? options.likelyDialect : given;
  /** Whether a call succeeded in the older form after a 404, which a proxy also answers while a server restarts. */
  let isLikelyOlder = false;
  const learn = (dialect: Dialect) => {
    known = dialect;
    options.onDialect?.(dialect);
  };

  async function callForm(
    name: string,
    endpoint: Endpoint,
    args: Arguments,
    call: CallOptions,
  ): Promise<unknown> {
    const sending = sendingOf(name, endpoint, args, timeouts);
    const readValue = async (response: RawResponse): Promise<unknown> => {
      const read = reading(name, call);
      return normalize(name, conform(endpoint, await readJson(response, read), read.context), args);
    };
    let saidNothing = false;
    const result = await exchange(sending, call, async (response) => {
      const isEmpty = endpoint.response === 'empty';
      saidNothing = !isEmpty && response.status === 204 && CHANGES.has(sending.method);
      return isEmpty || saidNothing ? readNothing(response, reading(name, call)) : readValue(response);
    });
    // Some current servers respond to a change without a body: the object is then read.
    return saidNothing ? exchange({ ...sending, method: 'GET', exchange: {} }, call, readValue) : result;
  }

  async function dialect(call: CallOptions = {}): Promise<Dialect> {
    if (known !== undefined) return known;
    try {
      await callForm('getCurrentUser', operations.getCurrentUser, {}, call);
      learn('ga');
      return 'ga';
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
      if (isLikelyOlder) learn('experimental');
      return 'experimental';
    }
  }

  /**
   * Runs a call in the server's dialect; a server that accepts the key but lacks this path is asked in the other form.
   */
  async function inDialect<T>(
    name: string,
    args: Arguments,
    call: CallOptions,
    run: (endpoint: Endpoint) => Promise<T>,
  ): Promise<T> {
    if (gaFormOf(name) === undefined) return run(formFor(name, 'experimental', args));
    const first = await dialect(call);
    const form = formFor(name, first, args);
    try {
      const result = await run(form);
      isLikelyOlder ||= known === undefined;
      return result;
    } catch (error) {
      const second = first === 'ga' ? 'experimental' : 'ga';
      const other = formFor(name, second, args);
      if (!automatic || form === other || !isMissingEndpoint(error)) throw error;
      const result = await run(other);
      learn(second);
      return result;
    }
  }

  const call = (name: string, args: Arguments = {}, callOptions: CallOptions = {}) =>
    inDialect(name, args, callOptions, (endpoint) => callForm(name, endpoint, args, callOptions));

  async function uploadContentBundle(
    args: UploadArguments,
    callOptions: UploadOptions = {},
  ): Promise<UploadReceipt> {
    const endpoint = formFor('uploadContentBundle', await dialect(callOptions), { guid: args.guid });
    return upload(caller, endpoint, args, callOptions);
  }

  const downloadBundle = (args: Arguments, callOptions: CallOptions = {}): Promise<BundleDownload> =>
    inDialect('downloadBundle', args, callOptions, (endpoint) =>
      download(caller, sendingOf('downloadBundle', endpoint, args, timeouts), callOptions),
    );

  /** The server creates it first, which takes as long as an upload. It can be downloaded once: no retries. */
  function downloadBackup(args: Arguments, callOptions: CallOptions = {}): Promise<BundleDownload> {
    const sending = sendingOf('downloadBackup', operations.downloadBackup, args, timeouts);
    const exchange = { ...sending.exchange, headersTimeout: timeouts.upload };
    return download(caller, { ...sending, exchange, once: true }, callOptions);
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
    Object.entries<Endpoint>(operations)
      .filter(([name, { body, response }]) => !name.endsWith('Ga') && body !== 'file' && response !== 'file')
      .map(([name]) => [
        name,
        (args?: Arguments, callOptions?: CallOptions) => call(name, args, callOptions),
      ]),
  );
  const each = Object.fromEntries(
    Object.values<Endpoint>(operations)
      .filter((operation) => operation.paging !== undefined)
      .map(({ operationId: name, paging }) => [
        name,
        (args: Arguments = {}, callOptions?: CallOptions) => {
          const fetch = (page: Arguments) => call(name, page, callOptions);
          return paging === 'keyset' ? eachByCursor(fetch, args, name, url) : eachByNumber(fetch, args);
        },
      ]),
  );

  const client = {
    ...methods,
    url,
    each,
    uploadContentBundle,
    downloadBundle,
    downloadBackup,
    listContent: (args: Arguments = {}, callOptions: CallOptions = {}) =>
      callForm('listContent', operations.listContentGa, args, callOptions),
    dialect,
    ping: (callOptions: CallOptions = {}) =>
      exchange(plain('ping', 'GET', '/__ping__'), callOptions, async (response) => {
        await readJson(response, reading('ping', callOptions));
      }),
    login: (credentials: { username: string; password: string }, callOptions: CallOptions = {}) => {
      const { username, password } = credentials;
      return exchange(plain('login', 'POST', '/__login__', { username, password }), callOptions, (response) =>
        readNothing(response, reading('login', callOptions)),
      );
    },
    openContent: async ({ guid }: { guid: string }, callOptions: CallOptions = {}) => {
      const sending = plain('openContent', 'GET', `/content/${encodeURIComponent(guid)}/`);
      const response = await visit({ ...sending, exchange: { headers: { accept: '*/*' } } }, callOptions);
      await discard(response);
      return { status: response.status };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return client as unknown as Client;
}
