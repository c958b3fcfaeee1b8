// Covers downloads that fail: the exit code, and no partial file.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../../testing/run-here.ts';

const refuse = (error: string) => (response: ServerResponse) => {
  response.writeHead(400, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ code: 25, error, payload: null }));
};

test.each<[string, (response: ServerResponse) => void, number, string]>([
  ['is denied', refuse('access_denied'), 3, 'The backup was denied in the browser.'],
  ['is not confirmed in time', refuse('expired_token'), 3, 'The backup was not confirmed in time.'],
  [
    'is cut off',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/x-tar', 'content-length': '2048' });
      response.write(Buffer.alloc(1024), () => response.destroy());
    },
    4,
    'The connection ended before the download was complete.\nNothing was kept',
  ],
  [
    'is not a backup',
    (response) => response.writeHead(200, { 'content-type': 'application/x-tar' }).end('no archive'),
    1,
    'is no backup of Pressroom, or is damaged',
  ],
])('a backup that %s leaves no file', async (_what, respond, code, said) => {
  const { outcome, files } = await backUp(respond);
  expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringContaining(said)]);
  expect(outcome.stderr).not.toContain('SECRET');
  expect(files).toEqual([]);
});

test('the file of another backup that began meanwhile is left alone', async () => {
  const { outcome, files } = await backUp((response, cwd) => {
    writeFileSync(join(cwd, 'all.tar.tmp'), 'of another');
    response.writeHead(200, { 'content-type': 'application/x-tar' }).end('archive');
  });
  expect(outcome).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('all.tar.tmp exists.') as string,
  });
  expect(files).toEqual(['all.tar.tmp']);
});

/** Runs the command against a server that answers the download so. */
async function backUp(respond: (response: ServerResponse, cwd: string) => void) {
  const cwd = await mkdtemp(join(tmpdir(), 'pressroom-cli-backup-'));
  const server = createServer((request, response) => {
    request.resume();
    if (request.url?.endsWith('/download') === true) return respond(response, cwd);
    const page = 'http://127.0.0.1/__dashboard__/device';
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        device_code: 'SECRET',
        user_code: 'BCDF-GHJK',
        verification_uri: page,
        verification_uri_complete: page,
        expires_in: 600,
        interval: 0.01,
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const env = {
      CONNECT_SERVER: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      CONNECT_API_KEY: 'key',
      HOME: cwd,
    };
    const outcome = await runHere(['admin', 'backup', 'all.tar'], { env, cwd });
    return { outcome, files: await readdir(cwd) };
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(cwd, { recursive: true });
  }
}
