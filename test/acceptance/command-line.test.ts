// Covers the command line with a real server: what it reports about content apart from deploys.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  makeQuickRenderer,
  publish,
  QUICK_DOCUMENT,
  quickDocument,
  startTestServer,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runHere } from '../../packages/cli/src/testing/run-here.ts';

let server: TestServer;
let home: string;
let key: string;
let guid: string;
beforeAll(async () => {
  server = await startTestServer();
  home = await mkdtemp(join(tmpdir(), 'pressroom-command-line-'));
  const person = await server.person('publisher');
  key = person.key;
  ({ guid } = await publish(person, { 'index.html': '<p>' }));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

function pressroom(args: string[], input = '', { url } = server) {
  const env = { PATH: process.env.PATH, HOME: home, CONNECT_SERVER: url, CONNECT_API_KEY: key };
  return runHere(args, { env, cwd: home, input });
}

describe('pressroom variables', () => {
  test('sets variables from a file or standard input, lists and removes them without values', async () => {
    await writeFile(join(home, '.env'), '# of this desk\nTOKEN="se cret"\nexport REGION=west\nEMPTY=\n');
    const all = await pressroom(['variables', guid, '--from', '.env']);
    expect(all).toMatchObject({ code: 0, stdout: 'EMPTY\nREGION\nTOKEN\n' });
    const more = await pressroom(['variables', guid, '--from', '-', '--only', 'A', '--json'], 'A=1\nB=2');
    expect(JSON.parse(more.stdout)).toEqual(['A', 'EMPTY', 'REGION', 'TOKEN']);
    const fewer = await pressroom(['variables', guid, '--remove', 'A', '--remove', 'EMPTY']);
    expect(fewer.stdout).toBe('REGION\nTOKEN\n');
    expect(await pressroom(['variables', guid])).toMatchObject({ code: 0, stdout: 'REGION\nTOKEN\n' });
    expect(JSON.stringify([all, more, fewer])).not.toContain('se cret');
  });

  test('rejects variables that cannot be set by name, and changes nothing', async () => {
    expect(await pressroom(['variables', guid, '--from', 'none.env'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Cannot read'),
    });
    expect(await pressroom(['variables', guid, '--from', '-'], '# nothing here')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('standard input sets no variables'),
    });
    const unread = await pressroom(['variables', guid, '--from', '-'], 'A=1\nhunter2');
    expect(unread).toMatchObject({ code: 2, stderr: expect.stringContaining('Line 2 of standard input') });
    expect(unread.stderr).not.toContain('hunter2');
    expect(await pressroom(['variables', guid, '--from', '-', '--only', 'C'], 'A=1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not set C'),
    });
    expect(await pressroom(['variables', guid, '--only', 'C'])).toMatchObject({ code: 2 });
    expect(await pressroom(['variables', guid, '--except', 'C'])).toMatchObject({ code: 2 });
    expect(await pressroom(['variables', guid, '--from', '-', '--remove', 'B'], 'A=1\nB=2')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('B cannot be both set and removed'),
    });
    expect(await pressroom(['variables', guid, '--from', '-'], 'LD_PRELOAD=/tmp/x.so')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/LD_PRELOAD.*\n.*Remove this variable/),
    });
    expect(await pressroom(['variables', guid, '--remove', 'TOKEN', '--remove', 'NOPE'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Not set, so nothing was changed: NOPE.'),
    });
    expect((await pressroom(['variables', guid])).stdout).toBe('REGION\nTOKEN\n');
  });

  test('skips variables of the command itself unless they are named', async () => {
    const file = '\uFEFFFIRST=1\nCONNECT_SERVER=http://x\nCONNECT_API_KEY=hunter2\nPATH=/bin\n';
    const from = ['variables', guid, '--from', '-'];
    const set = await pressroom([...from, '--except', 'PATH'], file);
    expect(set).toMatchObject({ code: 0, stdout: 'FIRST\nREGION\nTOKEN\n' });
    expect(set.stderr).toContain('Skipped: CONNECT_SERVER, CONNECT_API_KEY,');
    expect(set.stderr).not.toContain('hunter2');
    expect(await pressroom([...from, '--only', 'CONNECT_SERVER'], file)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('the variable CONNECT_SERVER is prohibited'),
    });
    const key = await pressroom([...from, '--only', 'CONNECT_API_KEY'], file);
    expect(key).toMatchObject({ code: 0, stdout: 'CONNECT_API_KEY\nFIRST\nREGION\nTOKEN\n' });
    await pressroom(['variables', guid, '--remove', 'CONNECT_API_KEY']);
    const removed = await pressroom(['variables', guid, '--remove', 'FIRST', '--remove', 'FIRST']);
    expect(removed).toMatchObject({ code: 0, stdout: 'REGION\nTOKEN\n' });
  });
});

test('processes reports that no process has run this content', async () => {
  const { code, stderr } = await pressroom(['processes', guid, '--log', 'latest']);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('No process') });
});

test('render renders a document, follows the task, and manages its schedule', async () => {
  await using renderer = await makeQuickRenderer();
  await using renders = await startTestServer({ settings: renderer.settings });
  const person = await renders.person('publisher');
  key = person.key;
  const report = await publish(person, quickDocument('print("Hello", region)', { region: 'North' }), {
    metadata: QUICK_DOCUMENT,
  });
  const run = (...args: string[]) => pressroom(['render', report.guid, ...args], '', renders);
  const rendered = await run();
  expect([rendered.code, rendered.stderr]).toEqual([0, expect.any(String)]);
  expect(await run('--schedule', '0 6 * * 1-5')).toMatchObject({ code: 0 });
  const path = `/v1/content/${report.guid}/schedule`;
  expect((await person.call('GET', path)).body).toMatchObject({ cron: '0 6 * * 1-5' });
  expect(await run('--no-schedule')).toMatchObject({ code: 0 });
  expect((await person.call('GET', path)).status).toBe(404);

  const wrong = await run('regio=West');
  expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining('The parameters are: region') });
  const west = await run('--variant', 'West', 'region=West');
  expect(west).toMatchObject({ code: 0 });
  const [url = ''] = /http\S+_variant\/\w+\//.exec(west.stderr) ?? [];
  const page = await person.call('GET', `/${new URL(url).pathname}`);
  expect(page.bytes.toString()).toContain('Hello West');
  const listed = await run('--list');
  expect(listed.stdout).toMatch(/^KEY +NAME +VALUES +RENDERED +VISIBLE/);
  expect(listed.stdout).toMatch(/West +region=West +\S+ +private/);
  const own = await run('region=East', '--json');
  const [variant, ...events] = own.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(variant).toMatchObject({ type: 'variant', url: expect.stringContaining('/_variant/') });
  expect(events.at(-1)).toMatchObject({ type: 'finished', code: 0, task_id: variant.task_id });
  await run('--variant', 'West', '--schedule', 'mondays at 6:00', '--timezone', 'Asia/Kathmandu');
  expect((await run('--list')).stdout).toContain('0 6 * * 1 (Asia/Kathmandu)');
});
