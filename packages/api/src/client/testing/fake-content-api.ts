// The content, bundles and tasks of the fake server, and its responses about them.
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { json, refuse } from './responses.ts';

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

export interface FakeRequest {
  method: string;
  /** With the query, without the base path. */
  path: string;
  body: Buffer;
}

export interface FakeContentOptions {
  dialect?: 'ga' | 'experimental' | 'both';
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

/** A request and what is known of it. */
interface Exchange {
  request: FakeRequest;
  response: ServerResponse;
  experimental: boolean;
  parsed: () => Record<string, unknown>;
  query: URLSearchParams;
}

/** @param address of the server */
export function createFakeContentApi(options: FakeContentOptions, address: () => string) {
  const { dialect = 'ga', task: result } = options;
  const contents = new Map<string, FakeContent>();
  const tasks = new Map<string, FakeTask>();
  let ids = 100;

  function respond(request: FakeRequest, response: ServerResponse): void {
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
    const task = /^tasks\/(\w+)$/.exec(rest)?.[1];
    if (task !== undefined) return ofTask(task, Number(query.get('first') ?? 0), response);
    const bundle = /^bundles\/(\d+)(\/download)?$/.exec(rest);
    const owner = [...contents.values()].find((content) =>
      content.bundles.some(({ id }) => id === bundle?.[1]),
    );
    if (bundle !== null && owner !== undefined) {
      return ofContent(owner, `/${rest}`, { request, response, experimental, parsed, query });
    }
    refuse(response, 404, bundle === null ? 2 : 4);
  }

  function ofTask(id: string, first: number, response: ServerResponse): void {
    const found = tasks.get(id);
    if (found === undefined) return refuse(response, 404, 4);
    const { finished, code, error, lines } = found;
    if (first > lines.length) return refuse(response, 400, 13);
    json(response, 200, { id, output: lines.slice(first), finished, code, error, last: lines.length });
  }

  function ofContent(content: FakeContent, rest: string, exchange: Exchange): void {
    const { request, response, experimental } = exchange;
    const { method, body } = request;
    if (rest === '' && method === 'DELETE') {
      contents.delete(content.guid);
      response.writeHead(204).end();
      return;
    }
    if (rest === '') {
      if (method !== 'GET')
        content.title = (exchange.parsed()['title'] as string | undefined) ?? content.title;
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
      const page = Number(exchange.query.get('page_number') ?? 1);
      return json(response, 200, { current_page: page, results: page === 1 ? all : [], total: all.length });
    }
    if (rest === '/deploy') {
      const bundleId = String(exchange.parsed()['bundle_id']);
      const id = `task${(ids += 1)}`;
      const task = {
        lines: ['Building static content...', 'Done.'],
        finished: true,
        code: 0,
        error: '',
        ...result,
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
    const page = `${address()}/content/${content.guid}/`;
    const common = {
      ...fields,
      description: '',
      access_type: 'acl',
      app_mode: 'static',
      owner_guid: USER.guid,
    };
    const times = { created_time: USER.created_time, last_deployed_time: USER.created_time };
    return experimental
      ? { ...common, ...times, url: page, role: 'owner', has_parameters: true, needs_config: false }
      : {
          ...common,
          ...times,
          content_url: page,
          app_role: 'owner',
          parameterized: true,
          dashboard_url: `${address()}/connect/#/apps/${content.guid}`,
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

  return { contents, tasks, respond };
}
