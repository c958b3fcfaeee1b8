// In a real editor, against a server of the experimental form only: the same three inputs, the same click, the truth
// about what it cannot do.
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { startWork, type Work } from './work.ts';

/** What such a server has, of what the extension asks for. */
const KNOWN = /^\/(__ping__|content\/|__api__\/(server_settings|v1\/experimental\/|v1\/server_settings\/))/;

let work: Work;
let older: Server;
const refused: string[] = [];
beforeAll(async () => {
  older = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    if (!KNOWN.test(pathname)) {
      refused.push(`${request.method} ${pathname}`);
      response.writeHead(404, { 'content-type': 'application/json' });
      return response.end('{"code":2,"error":"no such endpoint","payload":null}');
    }
    const { method, headers } = request;
    const onward = httpRequest(
      `${work.server.url}${request.url}`,
      { ...(method && { method }), headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    return request.pipe(onward);
  });
  await new Promise<void>((resolve) => older.listen(0, '127.0.0.1', resolve));
  work = await startWork({
    extensions: inject('extensions'),
    url: () => `http://127.0.0.1:${(older.address() as AddressInfo).port}`,
  });
});
afterAll(async () => {
  await work[Symbol.asyncDispose]();
  older.closeAllConnections();
  older.close();
});
afterEach(async ({ task }) => {
  await work.editor.screenshot(`older-${task.name.replaceAll(/\W+/g, '-')}`);
  await work.clearToasts();
});

test('publishes in three inputs, then with one click', async () => {
  await work.firstTime();
  await work.toast('static-page is live');
  await work.clearToasts();
  await work.command('pressroom.publish');
  await work.toast('static-page is live');
  expect(refused).toContain('GET /__api__/v1/user');
  const [{ guid }] = (await work.person.call('GET', '/v1/content')).body;
  expect((await work.person.call('GET', `/v1/content/${guid}/bundles`)).body).toHaveLength(2);
});

test('a cancelled deploy goes on there, and that is what is said', async () => {
  const { deploys, tasks } = work.server.running.services;
  const own = deploys.run;
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  deploys.run = (id) =>
    tasks.run(id, async ({ log }) => {
      log('a long rendering');
      await finished;
      return async () => undefined;
    });
  await work.command('pressroom.publish');
  await work.toast('The server is working');
  await work.press('Cancel');
  await work.toast(/Cancelled\. This server cannot cancel a task: the deploy \w+ goes on there/);
  expect(refused.some((call) => call.endsWith('/cancel'))).toBe(true);
  finish();
  deploys.run = own;
});
