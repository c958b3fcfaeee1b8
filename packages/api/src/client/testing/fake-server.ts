// A small content server for tests: real HTTP on 127.0.0.1, both dialects, every request recorded, any answer replaceable.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface RecordedRequest {
  method: string;
  /** With the query, without the base path. */
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
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

export interface FakeContent {
  guid: string;
  name: string;
  title: string | null;
  bundle_id: string | null;
  bundles: { id: string; archive: Buffer }[];
}

export interface FakeTask {
  lines: string[];
  finished: boolean;
  code: number;
  error: string;
}

export interface FakeOptions {
  dialect?: 'ga' | 'experimental' | 'both';
  /** Sub-path, such as `/connect`. */
  base?: string;
  apiKey?: string;
  tls?: { key: string; cert: string };
  /** The result of a deploy task. */
  task?: Partial<FakeTask>;
}

const USER = {
  guid: 'aaaaaaaa-0000-4000-8000-000000000001',
  username: 'ada',
  first_name: 'Ada',
  last_name: 'L',
  email: 'ada@example.com',
  user_role: 'administrator',
  created_time: '2026-01-01T00:00:00Z',
  updated_time: '2026-01-01T00:00:00Z',
  active_time: null,
  confirmed: true,
  locked: false,
};

export const TEST_KEY = 'k3y-that-must-never-be-seen';

/** Sends JSON with a status. */
export function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

/** Sends an APIError. */
export function refuse(response: ServerResponse, status: number, code: number, error = `code ${code}`): void {
  json(response, status, { code, error, payload: null });
}

export async function startFakeServer(options: FakeOptions = {}): Promise<FakeServer> {
  const { dialect = 'ga', base = '', apiKey = TEST_KEY } = options;
  const requests: RecordedRequest[] = [];
  const contents = new Map<string, FakeContent>();
  const tasks = new Map<string, FakeTask>();
  const rules: { method: string; path: RegExp; responder: Responder; once: boolean }[] = [];
  let ids = 100;

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
    answer(request, response);
  }

  function answer(request: RecordedRequest, response: ServerResponse): void {
    const { method, body } = request;
    const [pathname = '', search = ''] = request.path.split('?');
    const query = new URLSearchParams(search);
    const experimental = pathname.startsWith('/v1/experimental/');
    const speaks = dialect === 'both' || dialect === (experimental ? 'experimental' : 'ga');
    if (pathname === '/v1/user') return speaks ? json(response, 200, USER) : refuse(response, 404, 2);
    if (pathname === '/v1/users') {
      const first = query.get('page_number') !== '2';
      return json(response, 200, {
        current_page: Number(query.get('page_number')),
        total: 1,
        results: first ? [USER] : [],
      });
    }
    if (!speaks) return refuse(response, 404, 2);
    const rest = pathname.replace(/^\/v1\/(experimental\/)?/, '');
    const parsed = () => (body.length === 0 ? {} : (JSON.parse(body.toString()) as Record<string, unknown>));
    const item = /^content\/([^/]+)(\/.*)?$/.exec(rest);
    if (rest === 'content' && method === 'POST') {
      const name = String(parsed()['name']);
      if ([...contents.values()].some((content) => content.name === name)) return refuse(response, 409, 26);
      const guid = `bbbbbbbb-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}`;
      const title = (parsed()['title'] as string | undefined) ?? null;
      const content: FakeContent = { guid, name, title, bundle_id: null, bundles: [] };
      contents.set(guid, content);
      return json(response, 200, present(content, experimental));
    }
    if (rest === 'content')
      return json(
        response,
        200,
        [...contents.values()].map((content) => present(content, false)),
      );
    if (item !== null) {
      const content = contents.get(item[1] as string);
      if (content === undefined) return refuse(response, 404, 4);
      return ofContent(content, item[2] ?? '', { request, response, experimental, parsed, query });
    }
    const task = /^tasks\/(\w+)$/.exec(rest);
    const found = task === null ? undefined : tasks.get(task[1] as string);
    if (task !== null && found === undefined) return refuse(response, 404, 4);
    if (found !== undefined) {
      const first = Number(query.get('first') ?? 0);
      if (first > found.lines.length) return refuse(response, 400, 13);
      const { finished, code, error, lines } = found;
      return json(response, 200, {
        id: task?.[1],
        output: lines.slice(first),
        finished,
        code,
        error,
        last: lines.length,
      });
    }
    const bundle = /^bundles\/(\d+)(\/download)?$/.exec(rest);
    const owner = [...contents.values()].find((content) =>
      content.bundles.some(({ id }) => id === bundle?.[1]),
    );
    if (bundle !== null && owner !== undefined) {
      return ofContent(owner, `/${rest}`, { request, response, experimental, parsed, query });
    }
    refuse(response, 404, bundle === null ? 2 : 4);
  }

  interface At {
    request: RecordedRequest;
    response: ServerResponse;
    experimental: boolean;
    parsed: () => Record<string, unknown>;
    query: URLSearchParams;
  }

  function ofContent(content: FakeContent, rest: string, at: At): void {
    const { request, response, experimental } = at;
    const { method, body } = request;
    if (rest === '' && method === 'DELETE') {
      contents.delete(content.guid);
      response.writeHead(204).end();
      return;
    }
    if (rest === '') {
      if (method !== 'GET') content.title = (at.parsed()['title'] as string | undefined) ?? content.title;
      return json(response, 200, present(content, experimental));
    }
    const upload = method === 'POST' && rest === (experimental ? '/upload' : '/bundles');
    if (upload) {
      const id = String((ids += 1));
      content.bundles.push({ id, archive: body });
      const headers = { 'x-content-checksum': createHash('md5').update(body).digest('hex') };
      const answered = experimental ? { bundle_id: id, size: body.length } : presentBundle(content, id);
      return json(response, 200, answered, headers);
    }
    if (rest === '/bundles') {
      const all = content.bundles.map(({ id }) => presentBundle(content, id));
      if (!experimental) return json(response, 200, all);
      const page = Number(at.query.get('page_number') ?? 1);
      return json(response, 200, { current_page: page, results: page === 1 ? all : [], total: all.length });
    }
    if (rest === '/deploy') {
      const bundleId = String(at.parsed()['bundle_id']);
      const id = `task${(ids += 1)}`;
      const task = {
        lines: ['Building static content...', 'Done.'],
        finished: true,
        code: 0,
        error: '',
        ...options.task,
      };
      if (task.code === 0) content.bundle_id = bundleId;
      tasks.set(id, task);
      return json(response, 200, { task_id: id });
    }
    const bundle = /^\/bundles\/(\d+)(\/download)?$/.exec(rest);
    const found = content.bundles.find(({ id }) => id === bundle?.[1]);
    if (found === undefined) return refuse(response, 404, 4);
    if (bundle?.[2] !== undefined) {
      response.writeHead(200, { 'content-type': 'application/gzip', 'content-length': found.archive.length });
      response.end(found.archive);
      return;
    }
    if (method !== 'DELETE') return json(response, 200, presentBundle(content, found.id));
    if (content.bundle_id === found.id) return refuse(response, 400, 75);
    content.bundles = content.bundles.filter(({ id }) => id !== found.id);
    response.writeHead(204).end();
  }

  function present(content: FakeContent, experimental: boolean) {
    const { bundles: _bundles, ...fields } = content;
    const address = `${server.url}/content/${content.guid}/`;
    const common = {
      ...fields,
      description: '',
      access_type: 'acl',
      app_mode: 'static',
      owner_guid: USER.guid,
    };
    const times = { created_time: USER.created_time, last_deployed_time: USER.created_time };
    return experimental
      ? { ...common, ...times, url: address, role: 'owner', has_parameters: true, needs_config: false }
      : {
          ...common,
          ...times,
          content_url: address,
          app_role: 'owner',
          parameterized: true,
          dashboard_url: `${server.url}/connect/#/apps/${content.guid}`,
        };
  }

  function presentBundle(content: FakeContent, id: string) {
    const archive = content.bundles.find((bundle) => bundle.id === id)?.archive;
    return {
      id,
      content_guid: content.guid,
      created_time: USER.created_time,
      r_version: null,
      py_version: null,
      active: content.bundle_id === id,
      size: archive?.length ?? 0,
    };
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
    contents,
    tasks,
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
