// Covers every command against servers that leave out all fields but ids, or give null: none ends with an internal error.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { SPARSE_GUID, startSparseServer } from '../../api/src/client/testing/sparse-server.ts';
import { runHere } from './testing/run-here.ts';

const CONTENT = ['--content', SPARSE_GUID];
const COMMANDS = [
  ['whoami'],
  ['list', 'x'],
  ['status', SPARSE_GUID],
  ['bundles', SPARSE_GUID],
  ['drafts', SPARSE_GUID],
  ['releases', SPARSE_GUID],
  ['release', SPARSE_GUID],
  ['share', ...CONTENT],
  ['share', 'ada', ...CONTENT],
  ['unshare', 'ada', ...CONTENT],
  ['transfer', 'ada', ...CONTENT],
  ['tags', SPARSE_GUID],
  ['tags', '--all'],
  ['variables', SPARSE_GUID],
  ['usage', SPARSE_GUID],
  ['unused'],
  ['token', 'list'],
  ['users'],
  ['admin', 'users', 'list'],
  ['admin', 'users', 'lock', 'ada'],
  ['admin', 'groups', 'list'],
  ['admin', 'groups', 'members', 'team'],
  ['admin', 'servers'],
  ['access-requests', SPARSE_GUID],
  ['approvals', SPARSE_GUID],
  ['approve', '7', ...CONTENT],
  ['canary', 'show', SPARSE_GUID],
  ['canary', 'rule', SPARSE_GUID],
  ['git', 'show', SPARSE_GUID],
  ['trust', SPARSE_GUID],
  ['path', ...CONTENT],
  ['processes', SPARSE_GUID],
  ['logs', SPARSE_GUID],
  ['render', SPARSE_GUID],
  ['render', SPARSE_GUID, '--list'],
  ['repositories', 'list', SPARSE_GUID],
  ['rollback', ...CONTENT],
  ['activate', '7', ...CONTENT],
  ['open', SPARSE_GUID, '--print'],
  ['rename', 'New', ...CONTENT],
  ['restart', SPARSE_GUID],
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
    using server = await startSparseServer(isNull);
    const env = { XDG_CONFIG_HOME: home, CONNECT_SERVER: server.url, CONNECT_API_KEY: 'k3y' };
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
      await rm(home, { recursive: true });
    }
    expect(broken).toEqual([]);
  },
  60_000,
);
