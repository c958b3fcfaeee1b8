// A server of the experimental form without any of our code: answers transcribed from the documented contract
// (management-api.md 2, 4.2, 4.3, 4.7), with exactly its fields. Everything else is refused as a missing endpoint, and
// recorded.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

export interface ExperimentalServer extends AsyncDisposable {
  readonly url: string;
  /** `METHOD path` with ids replaced by {}, in order, including unknown ones. */
  readonly calls: string[];
  readonly refused: string[];
  readonly bundles: readonly { id: string; archive: Buffer }[];
  /** While true, new tasks do not end. */
  hold(tasks: boolean): void;
  activeBundle(): string | null;
}

const NOW = '2026-01-01T00:00:00Z';
const OWNER = 'aaaaaaaa-0000-4000-8000-000000000001';
const GUID = 'bbbbbbbb-0000-4000-8000-000000000002';

/** @param key the only accepted key */
export async function startExperimentalServer(key: string): Promise<ExperimentalServer> {
  const calls: string[] = [];
  const refused: string[] = [];
  const bundles: { id: string; archive: Buffer }[] = [];
  const tasks = new Map<string, { bundle_id: string; held: boolean }>();
  let content: Record<string, unknown> | undefined;
  let holding = false;

  /** A response, or an error code with its status. */
  type Outcome =
    | { response: unknown }
    | { empty: true }
    | { bytes: Buffer }
    | { status: number; code: number };
  const missing: Outcome = { status: 404, code: 4 };

  async function outcomeOf(
    request: IncomingMessage,
    path: string,
    query: URLSearchParams,
  ): Promise<Outcome | undefined> {
    const method = request.method ?? '';
    const is = (wanted: string) => `${method} ${path}` === wanted;
    const own = `/v1/experimental/content/${GUID}`;
    if (is('GET /server_settings')) return { response: { version: '1.8.6', hostname: 'older' } };
    if (request.headers.authorization !== `Key ${key}`) return { status: 401, code: 24 };
    if (is('POST /v1/experimental/content')) {
      const { name, ...rest } = JSON.parse((await buffer(request)).toString()) as { name: string };
      content = contentOf(name, rest);
      return { response: content };
    }
    if (path.startsWith('/v1/experimental/content/') && (content === undefined || !path.startsWith(own)))
      return /^\/v1\/experimental\/content\/[0-9a-f-]{36}(\/(bundles|upload|deploy))?$/.test(path)
        ? missing
        : undefined;
    if (is(`GET ${own}`)) return { response: content };
    if (is(`DELETE ${own}`)) {
      content = undefined;
      return { empty: true };
    }
    if (is(`POST ${own}/upload`)) {
      const archive = await buffer(request);
      const sum = request.headers['x-content-checksum'];
      if (sum !== undefined && sum !== createHash('md5').update(archive).digest('hex'))
        return { status: 400, code: 104 };
      if (!gunzipSync(archive).includes('manifest.json')) return { status: 400, code: 38 };
      bundles.push({ id: String(bundles.length + 1), archive });
      return { response: { bundle_id: bundles.at(-1)!.id, size: archive.length } };
    }
    if (is(`POST ${own}/deploy`)) {
      const body = (await buffer(request)).toString();
      const { bundle_id = bundles.at(-1)?.id } = (body === '' ? {} : JSON.parse(body)) as {
        bundle_id?: string;
      };
      if (!bundles.some((bundle) => bundle.id === bundle_id)) return { status: 404, code: 82 };
      const id = `Task${String(tasks.size).padStart(12, '0')}`;
      tasks.set(id, { bundle_id: bundle_id!, held: holding });
      return { response: { task_id: id } };
    }
    if (is(`GET ${own}/bundles`)) {
      const results = bundles.map(({ id, archive }) => ({
        id,
        content_guid: GUID,
        created_time: NOW,
        size: archive.length,
        active: content!.bundle_id === id,
        py_version: null,
        r_version: null,
      }));
      const page = Number(query.get('page_number') ?? 1);
      return { response: { current_page: page, results: page === 1 ? results : [], total: results.length } };
    }
    const [, bundleId] = /^\/v1\/experimental\/bundles\/(\d+)\/download$/.exec(path) ?? [];
    if (method === 'GET' && bundleId !== undefined) {
      const bundle = bundles.find(({ id }) => id === bundleId);
      return bundle === undefined ? missing : { bytes: bundle.archive };
    }
    const [, taskId] = /^\/v1\/experimental\/tasks\/(\w+)$/.exec(path) ?? [];
    const task = tasks.get(taskId ?? '');
    if (method === 'GET' && taskId !== undefined) {
      if (task === undefined) return missing;
      const finished = !task.held;
      if (finished && content)
        Object.assign(content, { bundle_id: task.bundle_id, app_mode: 'static', needs_config: false });
      const lines = ['Building static content...', ...(finished ? ['Done.'] : [])];
      const output = lines.slice(Number(query.get('first') ?? 0));
      return { response: { code: 0, error: '', finished, id: taskId, last: lines.length, output } };
    }
    return undefined;
  }

  function contentOf(name: string, fields: Record<string, unknown>): Record<string, unknown> {
    const scheduler = ['connection', 'idle', 'init', 'read'].map((kind) => [`${kind}_timeout`, null]);
    const processes = ['load_factor', 'max_conns_per_process', 'max_processes', 'min_processes'];
    return {
      access_type: 'acl',
      description: '',
      title: null,
      ...fields,
      name,
      guid: GUID,
      owner_guid: OWNER,
      app_mode: 'unknown',
      content_category: '',
      has_parameters: false,
      bundle_id: null,
      needs_config: true,
      created_time: NOW,
      last_deployed_time: NOW,
      py_version: null,
      r_version: null,
      role: 'owner',
      run_as: null,
      run_as_current_user: false,
      url: `${server.url}/content/${GUID}/`,
      ...Object.fromEntries([...scheduler, ...processes.map((field) => [field, null])]),
    };
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    const call = `${request.method} ${pathname.replace(/[0-9a-f-]{36}|Task\d{12}|(?<=bundles\/)\d+/g, '{}')}`;
    calls.push(call);
    const api = pathname.startsWith('/__api__/') ? pathname.slice('/__api__'.length) : '';
    const outcome = await outcomeOf(request, api, searchParams);
    request.resume();
    if (outcome === undefined) refused.push(call);
    const result = outcome ?? { status: 404, code: 2 };
    if ('empty' in result) return void response.writeHead(204).end();
    if ('bytes' in result)
      return void response.writeHead(200, { 'content-type': 'application/gzip' }).end(result.bytes);
    const failed = 'code' in result;
    response.writeHead(failed ? result.status : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(failed ? { code: result.code, error: 'refused', payload: null } : result.response),
    );
  }

  const listener = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const server: ExperimentalServer = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    calls,
    refused,
    bundles,
    hold(held) {
      holding = held;
      if (!held) for (const task of tasks.values()) task.held = false;
    },
    activeBundle: () => (content?.bundle_id as string | null | undefined) ?? null,
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
  return server;
}
