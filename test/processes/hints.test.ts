// Covers the commands that hints name, with a real server: each works where it is pasted.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readRecords } from '@pressroom/api/publish';
import { grant, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../../packages/cli/src/testing/run-here.ts';

const TITLE = "Ada's sales report";
/** The last sign-in was to this one; there is nothing there. */
const OTHER = 'http://127.0.0.1:9';
let server: TestServer;
let owner: Person;
let home: string;
let guid: string;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.person('publisher');
  home = await mkdtemp(join(tmpdir(), 'pressroom-hints-'));
  await mkdir(join(home, 'pressroom'));
  const servers = { [server.url]: { api_key: owner.key }, [OTHER]: { api_key: 'k'.repeat(32) } };
  const file = join(home, 'pressroom/credentials.json');
  await writeFile(file, JSON.stringify({ version: 1, default: OTHER, servers }), { mode: 0o600 });
  await mkdir(join(home, 'site'));
  await writeFile(join(home, 'site/index.html'), 'one');
  await pressroom(['deploy', 'site', '--title', TITLE, '--server', server.url]);
  ({ guid } = (await readRecords(join(home, 'site')))[0]!);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

const pressroom = (args: readonly string[]) =>
  runHere(args, { env: { PATH: process.env['PATH'], HOME: home, XDG_CONFIG_HOME: home }, cwd: home });

/** Of the command in a hint, as a shell divides it. */
async function wordsIn(said: string, start: string): Promise<string[]> {
  const [, line = ''] = new RegExp(`\\bpressroom (${start}.*)`).exec(said) ?? [];
  const { stdout } = await promisify(execFile)('sh', ['-c', `printf '%s\\n' ${line}`]);
  return stdout.trim().split('\n');
}

test.each([
  [['rollback', '999', '--content'], 'bundles'],
  [['activate', '999', '--content'], 'bundles'],
  [['activate', 'nope', '--content'], 'drafts'],
  [['preview', 'delete', 'nope', '--content'], 'drafts'],
  [['approve', '999', '--content'], 'releases'],
  [['changes', '--bundle', '999'], 'bundles'],
  [['download', '--bundle', '999'], 'bundles'],
  [['release', '--bundle', '999'], 'bundles'],
  [['processes', '--log', 'nope'], 'processes'],
  [['logs', '--process', 'nope'], 'processes'],
  [['variables', '--remove', 'NOPE'], 'variables'],
  [['share', 'nobody.at.all', '--content'], 'users'],
  [['tags', '--add', 'nope'], 'tags'],
])('%j names another command about the same content of the same server', async (args, start) => {
  const refused = await pressroom([...args, TITLE, '--server', server.url]);
  expect(refused.code).not.toBe(0);
  const pasted = await pressroom(await wordsIn(refused.stderr, start));
  expect(pasted, refused.stderr).toMatchObject({ code: 0 });
});

test.each([
  [['status', 'nowhere'], 'list'],
  [['token', 'revoke', 'nope'], 'token list'],
])('%j names another command at the same server', async (args, start) => {
  const refused = await pressroom([...args, '--server', server.url]);
  expect(refused.code).toBe(2);
  expect(await pressroom(await wordsIn(refused.stderr, start)), refused.stderr).toMatchObject({ code: 0 });
});

test('the server of the record is named where commands without a record use another', async () => {
  const { stderr } = await pressroom(['changes', 'site', '--bundle', '999']);
  expect(stderr).toContain(`run: pressroom bundles site --server ${server.url}\n`);
  const settings = { env: { CONNECT_SERVER: server.url, HOME: home, XDG_CONFIG_HOME: home }, cwd: home };
  expect((await runHere(['changes', 'site', '--bundle', '999'], settings)).stderr).toContain(
    'run: pressroom bundles site\n',
  );
});

test('what others paste names the content by its GUID, and their command goes to the same server', async () => {
  const other = await server.person('publisher');
  await grant(owner, guid, other, 'owner');
  const rule = await owner.call('PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } });
  expect(rule.status).toBe(200);
  await writeFile(join(home, 'site/index.html'), 'two');
  const refused = await pressroom(['deploy', 'site']);
  expect(refused.code).toBe(3);
  const approving = await wordsIn(refused.stderr, 'approve');
  expect(approving.slice(2)).toEqual(['--content', guid, '--server', server.url]);
  // The same, as it is made live later.
  const again = await pressroom(['activate', approving[1]!, '--content', 'site']);
  expect(await wordsIn(again.stderr, 'approve')).toEqual(approving);
  const approved = await pressroom([...approving, '--api-key', other.key]);
  expect(await pressroom(await wordsIn(approved.stdout, 'activate'))).toMatchObject({ code: 0 });
});
