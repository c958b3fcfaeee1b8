// Covers Node.js applications and programs: installed, started by the publisher's command, and not reachable by others.
import { once } from 'node:events';
import { publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';

let server: TestServer;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer({ settings: { 'Scheduler.IdleTimeout': 600 } });
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

/** Returns what the process knows of itself; over WebSocket echoes messages. */
const NODE = `
const { createHash } = require('node:crypto');
const { createServer } = require('node:http');
const greeting = require('greeting');
const http = createServer((request, response) => {
  const { url, headers } = request;
  const answer = { url, prefix: headers['x-forwarded-prefix'], greeting, mode: process.env.NODE_ENV, options: process.env.NODE_OPTIONS, at: http.address() };
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answer));
});
http.on('upgrade', (request, socket) => {
  const key = createHash('sha1').update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + key.digest('base64') + '\\r\\n\\r\\n');
  socket.write(Buffer.from([0x81, 5, ...Buffer.from('hello')]));
});
http.listen(process.env.PORT, '0.0.0.0', () => console.log('listening'));
`;
/** Needs no registry: the only dependency is in the bundle. */
const PACKAGE = {
  'package.json': JSON.stringify({
    name: 'shop',
    version: '1.0.0',
    scripts: { start: 'node server.js' },
    dependencies: { greeting: 'file:greeting' },
  }),
  'greeting/package.json': JSON.stringify({ name: 'greeting', version: '1.0.0', main: 'index.js' }),
  'greeting/index.js': 'module.exports = "hello";',
};

test('a Node.js application gets its packages, and its own socket as port', async () => {
  const { guid, path, task } = await publish(
    owner,
    { ...PACKAGE, 'server.js': NODE },
    {
      metadata: { appmode: 'nodejs', entrypoint: 'package.json' },
    },
  );
  expect(task.code, task.output.join('\n')).toBe(0);
  expect(task.output.join('\n')).toMatch(/added 1 package/);
  const response = await server.anonymous('GET', `${path}orders?n=1`);
  expect(response.body).toMatchObject({
    url: '/orders?n=1',
    prefix: `/content/${guid}`,
    greeting: 'hello',
    mode: 'production',
    options: expect.stringContaining('--disable-wasm-trap-handler'),
    at: expect.stringMatching(/\/s$/),
  });
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path.slice(1)}live`);
  const [data] = await once(socket, 'message');
  expect(String(data)).toBe('hello');
  socket.terminate();
  expect((await owner.call('GET', `/v1/content/${guid}`)).body.app_mode).toBe('nodejs');
  expect((await owner.call('GET', `/v1/experimental/content/${guid}`)).body.app_mode).toBe('api');
});

test('content_type filters by kind, not by app_mode', async () => {
  const { guid } = await publish(
    owner,
    { 'a.txt': '' },
    {
      fields: { name: 'found-by-kind' },
      metadata: { appmode: 'program', entrypoint: 'python3 -m http.server --bind 127.0.0.1 $PORT' },
    },
  );
  const search = async (type: string) => {
    const q = encodeURIComponent(`found type:"${type}"`);
    return (await owner.call('GET', `/v1/search/content?q=${q}`)).body.total;
  };
  for (const type of ['program', 'Program', 'application']) expect(await search(type)).toBe(1);
  for (const type of ['api', 'nodejs', 'plumber api', 'unknown']) expect(await search(type)).toBe(0);
  const list = async (type: string) => {
    const { body } = await owner.call('GET', `/applications?filter=content_type:${type}&count=100`);
    return body.applications.map((item: { guid: string }) => item.guid);
  };
  expect(await list('program')).toEqual([guid]);
  expect(await list('api')).toEqual([]);
});

test('an unavailable package fails the deploy with npm’s message', async () => {
  const lock = JSON.stringify({ name: 'shop', lockfileVersion: 3, packages: { '': { name: 'shop' } } });
  const files = { ...PACKAGE, 'package-lock.json': lock, 'server.js': NODE };
  const { guid, task } = await publish(owner, files, {
    metadata: { appmode: 'nodejs', entrypoint: 'package.json' },
  });
  expect(task).toMatchObject({
    code: 1,
    error: expect.stringMatching(/^the packages do not install: .*package-lock\.json/),
  });
  expect((await owner.call('GET', `/v1/content/${guid}`)).body.bundle_id).toBeNull();
});

test('a program that listens on PORT runs with its command', async () => {
  const { path, task } = await publish(
    owner,
    {
      'hello.txt': 'hello from a program',
      'serve.sh': 'exec python3 -u -m http.server --bind "$HOST" "$1"\n',
    },
    { metadata: { appmode: 'program', entrypoint: 'sh serve.sh $PORT' } },
  );
  expect(task.code, task.output.join('\n')).toBe(0);
  const response = await server.anonymous('GET', `${path}hello.txt`);
  expect(response.bytes.toString()).toBe('hello from a program');
});

test('a program without a command is rejected with the reason', async () => {
  const { task } = await publish(owner, { 'a.txt': '' }, { metadata: { appmode: 'program' } });
  expect(task).toMatchObject({ code: 38, error: expect.stringContaining('how the program is started') });
});
