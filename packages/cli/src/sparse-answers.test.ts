// Covers every command against servers that leave out all fields but ids, or give null: none ends with an internal error.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Endpoint, operations } from '@pressroom/api/contract';
import { expect, test } from 'vitest';
import { listen } from '../../api/src/client/testing/fake-server.ts';
import { runHere } from './testing/run-here.ts';

const GUID = 'cccccccc-0000-4000-8000-000000000009';
/** Without these, the client refuses a response. */
const NEEDED = /^(guid|id|task_id|bundle_id|finished|results|installations|key|device_code|user_code)$/;

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** One of everything. */
function sparse(schema: Schema, name: string, isNull: boolean): unknown {
  const types = [schema.type ?? []].flat();
  if (types.includes('array')) return [sparse(schema.items ?? {}, '', isNull)];
  if (types.includes('boolean')) return true;
  if (!types.includes('object')) return types.includes('string') ? (name === 'guid' ? GUID : '7') : 0;
  const given = Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const isNeeded = NEEDED.test(key) && schema.required?.includes(key);
    if (isNeeded) return [[key, sparse(property, key, isNull)] as const];
    return isNull ? [[key, null] as const] : [];
  });
  return Object.fromEntries(given);
}

function operationAt(method: string, at: string): Endpoint | undefined {
  const all: readonly Endpoint[] = Object.values(operations);
  const isMeant = (one: Endpoint) =>
    one.method === method && new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(at);
  const open = ({ path: text }: Endpoint) => text.split('{').length;
  return all.filter(isMeant).toSorted((a, b) => open(a) - open(b))[0];
}

const CONTENT = ['--content', GUID];
const COMMANDS = [
  ['whoami'],
  ['list', 'x'],
  ['status', GUID],
  ['bundles', GUID],
  ['drafts', GUID],
  ['releases', GUID],
  ['release', GUID],
  ['share', ...CONTENT],
  ['share', 'ada', ...CONTENT],
  ['unshare', 'ada', ...CONTENT],
  ['transfer', 'ada', ...CONTENT],
  ['tags', GUID],
  ['tags', '--all'],
  ['variables', GUID],
  ['usage', GUID],
  ['unused'],
  ['token', 'list'],
  ['users'],
  ['admin', 'users', 'list'],
  ['admin', 'users', 'lock', 'ada'],
  ['admin', 'groups', 'list'],
  ['admin', 'groups', 'members', 'team'],
  ['admin', 'servers'],
  ['access-requests', GUID],
  ['approvals', GUID],
  ['approve', '7', ...CONTENT],
  ['canary', 'show', GUID],
  ['canary', 'rule', GUID],
  ['git', 'show', GUID],
  ['trust', GUID],
  ['path', ...CONTENT],
  ['processes', GUID],
  ['logs', GUID],
  ['render', GUID],
  ['render', GUID, '--list'],
  ['repositories', 'list', GUID],
  ['rollback', ...CONTENT],
  ['activate', '7', ...CONTENT],
  ['open', GUID, '--print'],
  ['rename', 'New', ...CONTENT],
  ['restart', GUID],
  ['deploy', 'site'],
  ['deploy', 'site', '--draft'],
];

test.each([
  ['leaves out', false],
  ['gives null for', true],
])(
  'a server that %s all but ids',
  async (_what, isNull) => {
    const home = await mkdtemp(path.join(tmpdir(), 'pressroom-sparse-'));
    await mkdir(path.join(home, 'site'));
    await writeFile(path.join(home, 'site', 'index.html'), '<h1>Hello</h1>');
    const server = createServer((request, response) => {
      const at = (request.url ?? '').replace('/__api__', '').replace(/\?.*/, '');
      const found = operationAt(request.method ?? '', at);
      const answer =
        typeof found?.response === 'object'
          ? JSON.stringify(sparse(found.response as Schema, '', isNull))
          : '';
      request.resume().on('end', () => {
        response.writeHead(found?.status ?? 404, { 'content-type': 'application/json' }).end(answer);
      });
    });
    const url = `http://127.0.0.1:${await listen(server)}`;
    const env = { XDG_CONFIG_HOME: home, CONNECT_SERVER: url, CONNECT_API_KEY: 'k3y' };
    const broken: string[] = [];
    try {
      for (const command of COMMANDS) {
        const { stderr } = await runHere([...command, '--json'], { env, cwd: home });
        const table = await runHere(command, { env, cwd: home });
        const wrong = /^.*(?:TypeError|RangeError|SyntaxError|Cannot |not iterable|not a function).*$/m.exec(
          stderr + table.stderr,
        );
        if (wrong !== null) broken.push(`${command.join(' ')}: ${wrong[0]}`);
      }
    } finally {
      server.close();
      server.closeAllConnections();
      await rm(home, { recursive: true });
    }
    expect(broken).toEqual([]);
  },
  60_000,
);
