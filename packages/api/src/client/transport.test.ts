import { Agent, createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ClientOptions } from './client.ts';
import { createClientOver } from './create-client.ts';
import { NoResponseError } from './failures.ts';
import { toFailure } from './no-response.ts';
import { nodeConnection } from './node-connection.ts';
import { makeCertificates } from './testing/certificates.ts';
import { createFakeClock } from './testing/fake-clock.ts';
import { startFakeProxy } from './testing/fake-proxy.ts';
import { listen, startFakeServer, TEST_KEY, type FakeOptions } from './testing/fake-server.ts';
import { json } from './testing/responses.ts';
import type { ConnectionFactory } from './transport.ts';
import { undiciConnection } from './undici-connection.ts';

const GUID = 'cccccccc-0000-4000-8000-000000000009';
const certificates = makeCertificates();
afterAll(() => certificates[Symbol.dispose]());
const cleanups: AsyncDisposable[] = [];
afterEach(async () => {
  for (const item of cleanups.splice(0).toReversed()) await item[Symbol.asyncDispose]();
});

let connection: ConnectionFactory = undiciConnection;

function connect(url: string, options: Partial<ClientOptions> = {}) {
  const common = { url, apiKey: TEST_KEY, clock: createFakeClock(), retries: 0 };
  const client = createClientOver({ ...common, ...options }, connection);
  cleanups.push(client);
  return client;
}

async function serve(options: FakeOptions = {}) {
  const fake = await startFakeServer(options);
  cleanups.push(fake);
  return fake;
}

async function failureOf(promise: Promise<unknown>): Promise<NoResponseError> {
  const failure: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(NoResponseError);
  return failure as NoResponseError;
}

async function* endless() {
  for (;;) yield Buffer.alloc(2 ** 16);
}

/** Nothing listens on port 1: it is privileged, and the system never assigns it to a test. */
const CLOSED = 'http://127.0.0.1:1';

describe.each([
  ['undici', undiciConnection],
  ['node:http', nodeConnection],
] as const)('Connection over %s', (_name, chosen) => {
  beforeAll(() => {
    connection = chosen;
  });
  afterAll(() => {
    connection = undiciConnection;
  });

  describe('No response', () => {
    test('an unknown host name gives kind dns', async () => {
      const failure = await failureOf(
        // Without a resolver, the lookup takes several seconds to fail.
        connect('http://no-such-host.invalid', { timeouts: { connect: 30_000 } }).getCurrentUser(),
      );
      expect(failure).toMatchObject({ kind: 'dns', nothingSent: true });
      expect(failure.hint).toContain('spelling');
    });

    test('a closed port gives kind refused', async () => {
      const failure = await failureOf(connect(CLOSED).getCurrentUser());
      expect(failure).toMatchObject({ kind: 'refused', nothingSent: true });
      expect(failure.message).toContain('ECONNREFUSED');
    });

    test('a name whose addresses all refuse gives kind refused', async () => {
      expect(await failureOf(connect('http://localhost:1').getCurrentUser())).toMatchObject({
        kind: 'refused',
      });
    });

    test('a server that never responds gives kind timeout', async () => {
      const fake = await serve();
      fake.on('GET', /user$/, () => undefined);
      const client = connect(fake.url, { timeouts: { headers: 40 } });
      expect(await failureOf(client.getCurrentUser())).toMatchObject({ kind: 'timeout', nothingSent: false });
    });

    test('a response that stalls gives kind timeout', async () => {
      const fake = await serve();
      fake.on('GET', /user$/, (_request, response) => {
        response.writeHead(200);
        response.write('{"guid":');
      });
      const client = connect(fake.url, { timeouts: { body: 40 } });
      expect(await failureOf(client.getCurrentUser())).toMatchObject({ kind: 'timeout' });
    });

    test('a long poll may take longer than other calls by its wait', async () => {
      const fake = await serve();
      const polled = Promise.withResolvers<ServerResponse>();
      fake.on('GET', /tasks.*wait/, (_request, response) => polled.resolve(response));
      fake.on('GET', /user$/, () => undefined);
      const client = connect(fake.url, { dialect: 'ga', timeouts: { headers: 40 } });
      const poll = client.getTask({ id: 'T', wait: 20 });
      const response = await polled.promise;
      // The poll starts first and is answered only after the other call has timed out.
      expect(await failureOf(client.getCurrentUser())).toMatchObject({ kind: 'timeout' });
      json(response, 200, { id: 'T', finished: true, output: [], last: 0 });
      expect(await poll).toMatchObject({ finished: true });
    });

    test('a broken connection gives kind reset', async () => {
      const fake = await serve();
      fake.on('GET', /user$/, (_request, response) => response.destroy());
      expect(await failureOf(connect(fake.url).getCurrentUser())).toMatchObject({
        kind: 'reset',
        hint: 'Try again in a moment: the server or a proxy may be restarting.',
      });
    });

    test('a connection that breaks in an upload gives a hint at limits of proxies', async () => {
      const fake = await serve();
      fake.on('POST', /bundles$/, (_request, response) => response.destroy());
      const upload = connect(fake.url).uploadContentBundle({ guid: GUID, archive: new Uint8Array(9) });
      expect(await failureOf(upload)).toMatchObject({
        kind: 'reset',
        hint: 'Try again; a proxy may limit the size or duration of uploads.',
      });
    });

    test('a truncated response gives kind reset', async () => {
      const fake = await serve();
      fake.on('GET', /user$/, (_request, response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('{"guid":', () => response.destroy());
      });
      expect(await failureOf(connect(fake.url).getCurrentUser())).toMatchObject({ kind: 'reset' });
    });

    test('a response that is not HTTP throws InvalidResponseError', async () => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
      });
      const port = await listen(server);
      cleanups.push({ [Symbol.asyncDispose]: async () => void server.close() });
      await expect(connect(`http://127.0.0.1:${port}`).getCurrentUser()).rejects.toMatchObject({
        name: 'InvalidResponseError',
        kind: 'not-http',
      });
    });
  });

  describe('Abort', () => {
    test('before the request sends nothing', async () => {
      const fake = await serve();
      const failure = await failureOf(
        connect(fake.url).getCurrentUser({}, { signal: AbortSignal.abort(new Error('no')) }),
      );
      expect(failure).toMatchObject({
        kind: 'aborted',
        cause: expect.objectContaining({ message: 'no' }) as unknown,
      });
      expect(fake.requests).toEqual([]);
    });

    test('while the server works gives kind aborted', async () => {
      const fake = await serve();
      const controller = new AbortController();
      fake.on('GET', /user$/, () => controller.abort());
      expect(await failureOf(connect(fake.url).getCurrentUser({}, controller))).toMatchObject({
        kind: 'aborted',
      });
    });

    test('during the response gives kind aborted', async () => {
      const fake = await serve();
      const controller = new AbortController();
      fake.on('GET', /user$/, (_request, response) => {
        response.writeHead(200);
        response.write('{"guid":', () => controller.abort());
      });
      expect(await failureOf(connect(fake.url).getCurrentUser({}, controller))).toMatchObject({
        kind: 'aborted',
      });
    });

    test('during an upload stops reading the archive', async () => {
      const fake = await serve();
      const controller = new AbortController();
      const archive = new Readable({ read: () => undefined });
      archive.push(Buffer.alloc(1000));
      const client = connect(fake.url, { dialect: 'ga' });
      const upload = client.uploadContentBundle(
        { guid: GUID, archive },
        { signal: controller.signal, onProgress: () => controller.abort() },
      );
      expect(await failureOf(upload)).toMatchObject({ kind: 'aborted' });
      expect(archive.destroyed).toBe(true);
    });

    test('while waiting for a retry gives kind aborted', async () => {
      const controller = new AbortController();
      const client = connect(CLOSED, {
        retries: 3,
        clock: createFakeClock(() => controller.abort()),
      });
      expect(await failureOf(client.getCurrentUser({}, controller))).toMatchObject({ kind: 'aborted' });
    });

    test('through the signal of the client gives kind aborted', async () => {
      const fake = await serve();
      const controller = new AbortController();
      fake.on('GET', /user$/, () => controller.abort());
      const client = connect(fake.url, { signal: controller.signal });
      expect(await failureOf(client.getCurrentUser())).toMatchObject({ kind: 'aborted' });
    });
  });

  test('a server that compresses responses to clients that take any encoding is asked not to', async () => {
    const fake = await serve();
    const users = { current_page: 1, total: 0, results: [] };
    fake.on('GET', /users/, ({ headers }, response) => {
      if (headers['accept-encoding'] === 'identity') return json(response, 200, users);
      return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(users)));
    });
    expect(await connect(fake.url).getUsers()).toEqual(users);
  });

  test('a download may be destroyed unread', async () => {
    const fake = await serve();
    fake.on('GET', /download/, (_request, response) => response.end('archive'));
    const { stream } = await connect(fake.url).downloadBundle({ id: '1', guid: GUID });
    const closed = Promise.withResolvers<void>();
    stream.once('close', closed.resolve).destroy();
    await closed.promise;
    expect(stream.destroyed).toBe(true);
  });

  describe('Uploads', () => {
    test('stream an archive in chunks and report its bytes', async () => {
      const fake = await serve();
      const client = connect(fake.url);
      const { guid } = await client.createContent({ name: 'report' });
      const seen: number[] = [];
      const archive = Readable.from([Buffer.from('abc'), Buffer.from('defg')]);
      const result = await client.uploadContentBundle(
        { guid, archive },
        { onProgress: (bytes) => seen.push(bytes) },
      );
      expect(result).toMatchObject({ size: 7, checksum: '7ac66c0f148de9519b8bd264312c4d64' });
      expect(seen).toEqual([3, 7]);
      expect(fake.requests.at(-1)?.headers).toMatchObject({
        'transfer-encoding': 'chunked',
        'content-type': 'application/gzip',
      });
      expect(fake.contents.get(guid)?.bundles[0]?.archive.toString()).toBe('abcdefg');
    });

    test('send a known size and checksum', async () => {
      const fake = await serve();
      const client = connect(fake.url);
      const { guid } = await client.createContent({ name: 'report' });
      await client.uploadContentBundle({
        guid,
        archive: Readable.from([Buffer.from('abc')]),
        size: 3,
        checksum: 'c',
      });
      expect(fake.requests.at(-1)?.headers).toMatchObject({
        'content-length': '3',
        'x-content-checksum': 'c',
      });
    });

    test('fail with the error of the archive stream', async () => {
      const fake = await serve();
      const problem = new Error('index.html changed while it was being packed');
      async function* broken() {
        yield Buffer.from('abc');
        throw problem;
      }
      const upload = connect(fake.url, { dialect: 'ga' }).uploadContentBundle({
        guid: GUID,
        archive: Readable.from(broken()),
      });
      await expect(upload).rejects.toBe(problem);
    });

    test('that the server stops reading give kind timeout', async () => {
      const server = createServer((socket) => socket.on('error', () => undefined).pause());
      const port = await listen(server);
      const sockets = new Set<Socket>();
      server.on('connection', (socket) => sockets.add(socket));
      cleanups.push({
        [Symbol.asyncDispose]: async () => {
          for (const socket of sockets) socket.destroy();
          server.close();
        },
      });
      const client = connect(`http://127.0.0.1:${port}`, { dialect: 'ga', timeouts: { upload: 40 } });
      const archive = Readable.from(endless(), { objectMode: false });
      expect(await failureOf(client.uploadContentBundle({ guid: GUID, archive }))).toMatchObject({
        kind: 'timeout',
      });
      expect(archive.destroyed).toBe(true);
    });

    test('are not retried after a response', async () => {
      const fake = await serve();
      fake.on('POST', /bundles$/, (_request, response) => json(response, 503, {}, { 'retry-after': '1' }));
      const client = connect(fake.url, { dialect: 'ga', retries: 5 });
      await expect(
        client.uploadContentBundle({ guid: GUID, archive: Buffer.from('x') }),
      ).rejects.toMatchObject({ status: 503 });
      expect(fake.requests).toHaveLength(1);
    });

    test('are not retried even when nothing was sent', async () => {
      const clock = createFakeClock();
      const client = connect(CLOSED, { dialect: 'ga', retries: 5, clock });
      const archive = Readable.from([Buffer.from('x')]);
      expect(await failureOf(client.uploadContentBundle({ guid: GUID, archive }))).toMatchObject({
        kind: 'refused',
      });
      expect(clock.sleeps).toEqual([]);
    });

    test('report an early error response and destroy the archive stream', async () => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => {
          const body = '{"code":22,"error":"no","payload":null}';
          socket.write(
            `HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
          );
        });
      });
      const port = await listen(server);
      cleanups.push({ [Symbol.asyncDispose]: async () => void server.close() });
      const archive = new Readable({ read: () => undefined });
      archive.push(Buffer.alloc(10));
      const client = connect(`http://127.0.0.1:${port}`, { dialect: 'ga' });
      await expect(client.uploadContentBundle({ guid: GUID, archive })).rejects.toMatchObject({
        code: 22,
        status: 403,
      });
      expect(archive.destroyed).toBe(true);
    });
  });

  describe('Certificates', () => {
    const secure = () => serve({ tls: certificates.server });

    test('an unknown authority gives kind tls', async () => {
      const fake = await secure();
      const failure = await failureOf(connect(fake.url).getCurrentUser());
      expect(failure.kind).toBe('tls');
      expect(failure.hint).toContain('CONNECT_CA_CERTIFICATE');
      expect(fake.requests).toEqual([]);
    });

    test.each([
      ['as PEM text', () => ({ ca: certificates.ca })],
      ['as a file', () => ({ ca: certificates.caFile })],
      ['in CONNECT_CA_CERTIFICATE', () => ({ env: { CONNECT_CA_CERTIFICATE: certificates.caFile } })],
      ['in NODE_EXTRA_CA_CERTS', () => ({ env: { NODE_EXTRA_CA_CERTS: certificates.caFile } })],
    ])('an authority given %s is trusted', async (_name, options) => {
      const fake = await secure();
      expect((await connect(fake.url, options()).getCurrentUser()).username).toBe('ada');
    });

    test('a certificate for another name gives kind tls', async () => {
      const fake = await secure();
      const client = connect(`https://localhost:${fake.port}`, { ca: certificates.ca });
      expect(await failureOf(client.getCurrentUser())).toMatchObject({ kind: 'tls' });
    });

    test('https to an http port gives kind tls with a hint, and http to an https port fails', async () => {
      const [fake, plain] = await Promise.all([secure(), serve()]);
      expect(await failureOf(connect(`https://127.0.0.1:${plain.port}`).getCurrentUser())).toMatchObject({
        kind: 'tls',
        hint: expect.stringContaining('http://') as string,
      });
      await expect(connect(`http://127.0.0.1:${fake.port}`).getCurrentUser()).rejects.toThrow();
    });

    test('an unreadable certificate file throws an error of the options', () => {
      expect(() => connect('https://127.0.0.1', { ca: '/no/such/file.pem' })).toThrow(/no\/such\/file/);
    });

    test('an unreadable file in NODE_EXTRA_CA_CERTS gives a notice', () => {
      const notices: string[] = [];
      connect('https://127.0.0.1', {
        env: { NODE_EXTRA_CA_CERTS: '/no/such/file.pem' },
        onNotice: (notice) => notices.push(notice.kind),
      });
      expect(notices).toEqual(['certificates']);
    });
  });
});

describe('Proxies', () => {
  test.each(['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'])(
    '%s is used for https, through a tunnel',
    async (name) => {
      const [fake, proxy] = await Promise.all([serve({ tls: certificates.server }), startFakeProxy()]);
      cleanups.push(proxy);
      await connect(fake.url, { ca: certificates.ca, env: { [name]: proxy.url } }).getCurrentUser();
      expect(proxy.uses).toEqual([`CONNECT 127.0.0.1:${fake.port}`]);
    },
  );

  test.each(['http_proxy', 'HTTP_PROXY'])('%s is used for http', async (name) => {
    const [fake, proxy] = await Promise.all([serve(), startFakeProxy()]);
    cleanups.push(proxy);
    await connect(fake.url, { env: { [name]: `127.0.0.1:${proxy.port}` } }).getCurrentUser();
    expect(proxy.uses).toEqual([`GET ${fake.url}/__api__/v1/user`]);
  });

  test.each(['no_proxy', 'NO_PROXY'])('%s bypasses the proxy', async (name) => {
    const [fake, proxy] = await Promise.all([serve(), startFakeProxy()]);
    cleanups.push(proxy);
    await connect(fake.url, {
      env: { HTTP_PROXY: proxy.url, [name]: 'example.com, 127.0.0.1' },
    }).getCurrentUser();
    expect(proxy.uses).toEqual([]);
    expect(fake.requests).toHaveLength(1);
  });

  test('the proxy of http is not used for https', async () => {
    const [fake, proxy] = await Promise.all([serve({ tls: certificates.server }), startFakeProxy()]);
    cleanups.push(proxy);
    await connect(fake.url, { ca: certificates.ca, env: { http_proxy: proxy.url } }).getCurrentUser();
    expect(proxy.uses).toEqual([]);
  });

  test('a proxy option overrides the environment, and false disables proxies', async () => {
    const [fake, proxy] = await Promise.all([serve(), startFakeProxy()]);
    cleanups.push(proxy);
    const env = { http_proxy: CLOSED, no_proxy: '*' };
    await connect(fake.url, { env, proxy: proxy.url }).getCurrentUser();
    expect(proxy.uses).toHaveLength(1);
    await connect(fake.url, { env: { http_proxy: proxy.url }, proxy: false }).getCurrentUser();
    expect(proxy.uses).toHaveLength(1);
  });

  test('credentials of the proxy are sent to the proxy only', async () => {
    const [fake, proxy] = await Promise.all([serve({ tls: certificates.server }), startFakeProxy()]);
    cleanups.push(proxy);
    const address = proxy.url.replace('http://', 'http://joe:s3cret@');
    await connect(fake.url, { ca: certificates.ca, env: { https_proxy: address } }).getCurrentUser();
    expect(proxy.authorizations).toEqual([`Basic ${Buffer.from('joe:s3cret').toString('base64')}`]);
    expect(fake.requests[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  test.each([
    [407, 'password'],
    [403, 'NO_PROXY'],
  ])('a proxy that answers CONNECT with %i is reported as the cause', async (status, hint) => {
    const [fake, proxy] = await Promise.all([serve({ tls: certificates.server }), startFakeProxy(status)]);
    cleanups.push(proxy);
    const failure = await failureOf(connect(fake.url, { env: { https_proxy: proxy.url } }).getCurrentUser());
    expect(failure).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining(`proxy did not connect (${status})`) as string,
    });
    expect(failure.hint).toContain(hint);
  });

  test.each([
    ['refuses', CLOSED, 'ECONNREFUSED'],
    ['is unknown', 'http://proxy.invalid:3128', 'ENOTFOUND'],
  ])('an http proxy that %s is reported as the cause, not the server', async (_what, proxy, code) => {
    const fake = await serve();
    const failure = await failureOf(connect(fake.url, { env: { http_proxy: proxy } }).getCurrentUser());
    expect(failure.message).toContain(`the proxy did not connect (${code})`);
    expect(failure.hint).toContain('NO_PROXY');
  });

  test('a proxy with several addresses that all refuse is reported as the cause', async () => {
    const attempts = ['::1', '127.0.0.1'].map((address) =>
      Object.assign(new Error('refused'), { code: 'ECONNREFUSED', address, port: 3128 }),
    );
    const refused = Object.assign(new AggregateError(attempts), { code: 'ECONNREFUSED' });
    const failure = toFailure(refused, { operation: 'getUser', server: 'https://connect.example' });
    expect(failure.message).toContain('the proxy did not connect (ECONNREFUSED)');
  });

  test('a proxy of an unknown protocol is refused before anything is sent', () => {
    const create = () => connect('https://connect.example', { env: { https_proxy: 'ftp://proxy:21' } });
    expect(create).toThrow(expect.objectContaining({ name: 'ClientOptionsError' }));
  });

  test('the proxy of the process environment is ignored unless it is passed', async () => {
    const fake = await serve();
    const before = process.env['http_proxy'];
    process.env['http_proxy'] = CLOSED;
    try {
      expect((await connect(fake.url).getCurrentUser()).username).toBe('ada');
    } finally {
      if (before === undefined) delete process.env['http_proxy'];
      else process.env['http_proxy'] = before;
    }
  });
});

test.each([
  ['connect', true],
  ['read', false],
  ['write', false],
])('a host unreachable at %s means that nothing was sent: %s', (syscall, nothingSent) => {
  const unreachable = Object.assign(new Error('no route'), { code: 'EHOSTUNREACH', syscall });
  const failure = toFailure(unreachable, { operation: 'createGroup', server: 'https://connect.example' });
  expect(failure).toMatchObject({ kind: 'refused', nothingSent });
});

test('a request that an editor’s proxy never connects times out and can be cancelled', async () => {
  let used: Parameters<ConnectionFactory>[0] | undefined;
  connection = (options) => nodeConnection((used = options));
  // VS Code patches `http.Agent`: the patched method waits until the proxy is resolved.
  const prototype = Agent.prototype as unknown as { addRequest: () => void };
  const waits = vi.spyOn(prototype, 'addRequest').mockImplementation(() => undefined);
  try {
    const client = connect(CLOSED, { timeouts: { headers: 40 } });
    expect(await failureOf(client.getCurrentUser())).toMatchObject({ kind: 'timeout', nothingSent: true });
    const controller = new AbortController();
    const patient = connect(CLOSED, { timeouts: { headers: 0 } });
    const waiting = failureOf(patient.getCurrentUser({}, { signal: controller.signal }));
    controller.abort();
    expect(await waiting).toMatchObject({ kind: 'aborted' });
    const direct = nodeConnection(used!);
    const body = new Readable({ read: () => undefined });
    const times = { headersTimeout: 0, bodyTimeout: 0 };
    const sent = direct.request({ origin: CLOSED, path: '/', method: 'POST', headers: {}, body, ...times });
    await direct.destroy();
    await expect(sent).rejects.toThrow('the client was closed');
    await expect.poll(() => body.destroyed).toBe(true);
  } finally {
    waits.mockRestore();
    connection = undiciConnection;
  }
});

test('a response that arrives before the end of its upload may take its time', async () => {
  const held = Promise.withResolvers<ServerResponse>();
  const server = createHttpServer((request, response) => {
    response.writeHead(200).write('{');
    request.resume().on('end', () => held.resolve(response));
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  cleanups.push({ [Symbol.asyncDispose]: async () => void server.close() });
  let used: Parameters<ConnectionFactory>[0] | undefined;
  connection = (options) => nodeConnection((used = options));
  connect(url);
  connection = undiciConnection;
  const direct = nodeConnection(used!);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const upload = new Readable({ read: () => undefined });
    const times = { headersTimeout: 40, bodyTimeout: 0 };
    const sent = direct.request({
      origin: url,
      path: '/',
      method: 'POST',
      headers: {},
      body: upload,
      ...times,
    });
    upload.push('archive');
    const { body } = await sent;
    upload.push(null);
    const response = await held.promise;
    vi.advanceTimersByTime(1000);
    response.end('}');
    expect(await text(body)).toBe('{}');
  } finally {
    vi.useRealTimers();
    await direct.destroy();
  }
});
