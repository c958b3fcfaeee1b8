// The command line on a real server: what it says of content beside deploys.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publish, startTestServer, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const BIN = join(import.meta.dirname, '../../packages/api/bin/pressroom.mjs');

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

function pressroom(args: string[], input = ''): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, HOME: home, CONNECT_SERVER: server.url, CONNECT_API_KEY: key };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [BIN, ...args], { env, cwd: home }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
    child.stdin!.end(input);
  });
}

describe('variables', () => {
  test('are set from a file or standard input, listed by name and removed; their values are not shown', async () => {
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

  test('what cannot be set is refused by name, and changes nothing', async () => {
    expect(await pressroom(['variables', guid, '--from', 'none.env'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Cannot read'),
    });
    expect(await pressroom(['variables', guid, '--from', '-'], 'nothing here')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('sets no variables'),
    });
    expect(await pressroom(['variables', guid, '--from', '-', '--only', 'C'], 'A=1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not set C'),
    });
    expect(await pressroom(['variables', guid, '--only', 'C'])).toMatchObject({ code: 2 });
    expect(await pressroom(['variables', guid, '--from', '-'], 'LD_PRELOAD=/tmp/x.so')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('LD_PRELOAD'),
    });
    expect((await pressroom(['variables', guid])).stdout).toBe('REGION\nTOKEN\n');
  });
});

test('processes: says that none has run this content', async () => {
  const { code, stderr } = await pressroom(['processes', guid, '--log', 'latest']);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('No process') });
});
