// A small content server for tests: real HTTP on 127.0.0.1, both dialects, every request recorded, any response replaceable.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  createFakeContentApi,
  type FakeContent,
  type FakeContentOptions,
  type FakeRequest,
  type FakeTask,
} from './fake-content-api.ts';
import { refuse } from './responses.ts';

export interface RecordedRequest extends FakeRequest {
  headers: IncomingMessage['headers'];
}

export type Responder = (
  request: RecordedRequest,
  response: ServerResponse,
  match: RegExpExecArray,
) => unknown;

export interface FakeServer extends AsyncDisposable {
  url: string;
  port: number;
  requests: RecordedRequest[];
  /** `METHOD /path` of all requests so far. */
  calls(): string[];
  /** Overrides the server's own rules; the newest wins. Paths without `/__api__`. */
  on(method: string, path: RegExp, responder: Responder): void;
  /** Like `on`, for the next request only. */
  once(method: string, path: RegExp, responder: Responder): void;
  contents: Map<string, FakeContent>;
  tasks: Map<string, FakeTask>;
  close(): Promise<void>;
}

export interface FakeOptions extends FakeContentOptions {
  /** Sub-path, such as `/connect`. */
  base?: string;
  apiKey?: string;
  tls?: { key: string; cert: string };
}

export const TEST_KEY = 'k3y-that-must-never-be-seen';

export async function startFakeServer(options: FakeOptions = {}): Promise<FakeServer> {
  const { base = '', apiKey = TEST_KEY } = options;
  const requests: RecordedRequest[] = [];
  const rules: { method: string; path: RegExp; responder: Responder; once: boolean }[] = [];
  const api = createFakeContentApi(options, () => server.url);

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const full = incoming.url ?? '';
    const path = full.startsWith(base)
      ? full.slice(base.length).replace(/^\/__api__/, '')
      : `outside:${full}`;
    const request: RecordedRequest = {
      method: incoming.method ?? '',
      path,
      headers: incoming.headers,
      body: Buffer.alloc(0),
    };
    requests.push(request);
    const early = rules.findLast((rule) => rule.method === request.method && rule.path.test(path));
    if (early?.once === true) rules.splice(rules.indexOf(early), 1);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    request.body = Buffer.concat(chunks);
    const match = early?.path.exec(path);
    if (early !== undefined && match !== null && match !== undefined) {
      await early.responder(request, response, match);
      return;
    }
    if (incoming.headers.authorization !== `Key ${apiKey}`) return refuse(response, 401, 24);
    api.respond(request, response);
  }

  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    // Disconnecting clients are part of the tests.
    handle(incoming, response).catch(() => response.destroy());
  };
  const http: Server =
    options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener);
  const port = await listen(http);
  const server: FakeServer = {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}${base}`,
    port,
    requests,
    calls: () => requests.map(({ method, path }) => `${method} ${path}`),
    on: (method, path, responder) => void rules.push({ method, path, responder, once: false }),
    once: (method, path, responder) => void rules.push({ method, path, responder, once: true }),
    contents: api.contents,
    tasks: api.tasks,
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections();
        http.close(() => resolve());
      }),
    [Symbol.asyncDispose]: () => server.close(),
  };
  return server;
}

/** Listens on a free port of 127.0.0.1. */
export async function listen(server: {
  listen(port: number, host: string, done: () => void): unknown;
  address(): unknown;
}): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
