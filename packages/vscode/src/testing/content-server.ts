// A small content server for tests of the extension: answers like other servers of this API family, and injected
// faults. Counts created objects, so that tests notice duplicates.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export const KEY = 'a-key-of-the-double';

/** Requests of signing in, publishing or rolling back, in order. */
export const STEPS = {
  address: /^GET \/server_settings$/,
  key: /^GET \/v1\/user$/,
  settings: /^GET \/server_settings\/applications$/,
  content: /^GET \/v1\/content\/[^/]+$/,
  create: /^POST \/v1\/content$/,
  upload: /^POST \/v1\/content\/[^/]+\/bundles$/,
  deploy: /^POST \/v1\/content\/[^/]+\/deploy$/,
  task: /^GET \/v1\/tasks\//,
  page: /^GET \/content\//,
  bundles: /^GET \/v1\/content\/[^/]+\/bundles$/,
  jobs: /^GET \/v1\/content\/[^/]+\/jobs$/,
  jobLog: /^GET \/v1\/content\/[^/]+\/jobs\/[^/]+\/log$/,
  environment: /^(GET|PATCH) \/v1\/content\/[^/]+\/environment$/,
} as const;
export type Step = keyof typeof STEPS;

/** Faults: `slow` until the fault ends; numbers are statuses of JSON errors. */
export type Fault = 'gone' | 'slow' | 'html' | 'half' | 401 | 403 | 404 | 409 | 413 | 429 | 500;
export const FAULTS: readonly Fault[] = ['gone', 'slow', 'html', 'half', 401, 403, 404, 409, 413, 429, 500];

interface Content {
  readonly guid: string;
  readonly name: string;
  active: string | null;
  readonly bundles: string[];
  readonly variables: Map<string, string>;
}

export interface ContentServer extends AsyncDisposable {
  readonly url: string;
  /** `METHOD /path` of every request, without `/__api__`. */
  readonly calls: string[];
  readonly contents: Map<string, Content>;
  /** From now on; null: none. A late fault follows after the operation succeeded. */
  fail(step: Step, fault: Fault | null, when?: 'late'): void;
  /** Fields of every content item, in addition to the default ones. */
  readonly fields: Record<string, unknown>;
  /** Responses for paths that the double does not know, such as server settings. */
  readonly also: Map<string, unknown>;
}

export async function startContentServer(): Promise<ContentServer> {
  const contents = new Map<string, Content>();
  const calls: string[] = [];
  const faults = new Map<Step, { readonly fault: Fault; readonly late: boolean }>();
  const fields: Record<string, unknown> = {};
  /** Slow responses, sent when the fault ends. */
  const held: (() => void)[] = [];
  const also = new Map<string, unknown>([
    ['GET /v1/user', USER],
    [
      'GET /server_settings',
      { version: '2025.09.1', hostname: 'double', authentication: { name: 'Password' } },
    ],
    ['GET /server_settings/applications', { access_types: ['acl', 'logged_in', 'all'], run_as: 'www' }],
    ['GET /v1/server_settings/python', { installations: [{ version: '3.11.6', cluster_name: '' }] }],
    ['GET /v1/server_settings/r', { installations: [{ version: '4.3.1', cluster_name: '' }] }],
  ]);
  let ids = 100;

  const http = createServer((request, response) => {
    void result(request, response).catch(() => response.destroy());
  });

  async function result(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    const call = `${request.method} ${pathname.replace(/^\/__api__/, '')}`;
    calls.push(call);
    const [, failing] = [...faults].find(([step]) => STEPS[step].test(call)) ?? [];
    // A refusal sent before the body is read would look like a lost connection.
    const body = failing?.fault === 'gone' && !failing.late ? Buffer.alloc(0) : await buffer(request);
    if (failing?.late === true) respond(call, body, UNSEEN);
    if (failing?.fault === 'slow')
      held.push(() => (failing.late ? response.destroy() : respond(call, body, response)));
    else if (failing !== undefined) return failWith(failing.fault, response);
    if (failing !== undefined) return;
    const isOpen = call === 'GET /server_settings';
    if (!isOpen && request.headers.authorization !== `Key ${KEY}`)
      return refuse(response, 401, 3, 'Key is not valid');
    respond(call, body, response);
  }

  function respond(call: string, body: Buffer, response: ServerResponse): void {
    const parsed = () => JSON.parse(body.toString() || '{}') as Record<string, string>;
    const known = also.get(call);
    if (known !== undefined) return json(response, 200, known);
    if (call === 'POST /v1/content') {
      const { name = '' } = parsed();
      if ([...contents.values()].some((one) => one.name === name)) return refuse(response, 409, 26, 'taken');
      ids += 1;
      const guid = `a1b2c3d4-e5f6-7890-abcd-${String(ids).padStart(12, '0')}`;
      const made = { guid, name, active: null, bundles: [], variables: new Map() };
      contents.set(guid, made);
      return json(response, 200, presented(made));
    }
    if (call === 'GET /v1/content') return json(response, 200, [...contents.values()].map(presented));
    if (call.startsWith('GET /v1/tasks/task-')) return json(response, 200, TASK);
    const [, method, guid = '', rest = ''] = /^(\w+) (?:\/v1)?\/content\/([^/]+)(\/.*)?$/.exec(call) ?? [];
    const content = contents.get(guid);
    if (content === undefined) return refuse(response, 404, 4, 'not found');
    if (call.startsWith('GET /content/')) return void response.writeHead(200).end('<html>OK</html>');
    switch (`${method} ${rest}`) {
      case 'GET ':
        return json(response, 200, presented(content));
      case 'PATCH ':
        return void response.writeHead(204).end();
      case 'DELETE ':
        contents.delete(guid);
        return void response.writeHead(204).end();
      case 'POST /bundles':
        ids += 1;
        content.bundles.push(String(ids));
        return json(response, 200, bundle(content, String(ids), body.length));
      case 'GET /bundles':
        return json(
          response,
          200,
          content.bundles.map((id) => bundle(content, id, 4096)),
        );
      case 'POST /deploy':
        // A draft: the live bundle stays.
        if ((parsed() as Record<string, unknown>).activate !== false)
          content.active = String(parsed().bundle_id);
        return json(response, 200, { task_id: `task-abc${parsed().bundle_id}-def` });
      case 'GET /environment':
        return json(response, 200, [...content.variables.keys()]);
      case 'PATCH /environment': {
        const changes = JSON.parse(body.toString()) as { name: string; value: string | null }[];
        for (const { name, value } of changes)
          if (value === null) content.variables.delete(name);
          else content.variables.set(name, value);
        return void response.writeHead(204).end();
      }
      case 'GET /jobs':
        return json(response, 200, [JOB]);
      case 'GET /jobs/job1/log':
        return json(response, 200, { entries: [{ timestamp: USER.created_time, data: 'Listening' }] });
      default: {
        const [, id = ''] = /^\/bundles\/(\d+)$/.exec(rest) ?? [];
        // Like other servers, without a code.
        if (id === '') return json(response, 404, { error: 'Not found' });
        if (method !== 'DELETE' || !content.bundles.includes(id))
          return refuse(response, 404, 4, 'not found');
        content.bundles.splice(content.bundles.indexOf(id), 1);
        return void response.writeHead(204).end();
      }
    }
  }

  function presented({ guid, name, active }: Content) {
    return {
      ...CONTENT,
      guid,
      name,
      bundle_id: active,
      created_time: new Date().toISOString(),
      content_url: `${url}/content/${guid}/`,
      dashboard_url: `${url}/connect/#/apps/${guid}`,
      ...fields,
    };
  }

  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    url,
    calls,
    contents,
    fields,
    also,
    fail(step, fault, when) {
      if (fault === null) {
        faults.delete(step);
        for (const answerNow of held.splice(0)) answerNow();
      } else faults.set(step, { fault, late: when === 'late' });
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** For a response that is never sent. */
const UNSEEN = { writeHead: () => UNSEEN, end: () => UNSEEN } as unknown as ServerResponse;

function failWith(fault: Exclude<Fault, 'slow'>, response: ServerResponse): void {
  switch (fault) {
    case 'gone':
      response.destroy();
      return;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html><title>Proxy</title></html>');
      return;
    case 'half':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
      response.write('{"guid": "a1b2');
      setImmediate(() => response.destroy());
      return;
    default:
      refuse(response, fault, 0, `refused with ${fault}`);
  }
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** Other servers send no payload. */
function refuse(response: ServerResponse, status: number, code: number, error: string): void {
  json(response, status, { code, error });
}

const USER = {
  guid: '40d1c1dc-d554-4905-99f1-359517e1a7c0',
  username: 'bob',
  first_name: 'Bob',
  last_name: 'B',
  email: 'bob@example.com',
  user_role: 'publisher',
  created_time: '2023-01-01T00:00:00Z',
  updated_time: '2023-01-01T00:00:00Z',
  active_time: null,
  confirmed: true,
  locked: false,
};

const CONTENT = {
  title: 'Page',
  description: '',
  access_type: 'acl',
  app_mode: 'static',
  content_category: '',
  parameterized: false,
  last_deployed_time: USER.created_time,
  owner_guid: USER.guid,
  app_role: 'owner',
  id: '42',
  locked: false,
  locked_message: '',
  run_as: null,
};

/** Its id has dashes, and it has a `result`. */
const TASK = {
  id: 'task-abc-def',
  output: ['Building static content...', 'Done.'],
  result: null,
  finished: true,
  code: 0,
  error: '',
  last: 2,
};

const JOB = {
  id: '7',
  ppid: '1',
  pid: '4711',
  key: 'job1',
  remote_id: null,
  app_id: '42',
  bundle_id: '101',
  tag: 'run_app',
  start_time: USER.created_time,
  end_time: null,
  exit_code: null,
  status: 0,
};

function bundle({ guid, active }: Content, id: string, size: number) {
  return {
    id,
    content_guid: guid,
    created_time: USER.created_time,
    created_by: USER.guid,
    r_version: null,
    py_version: null,
    active: active === id,
    size,
    metadata: { source: null },
  };
}
