// Covers R package repositories over HTTP, and errors when they fail.
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NEVER } from '../../testing.ts';
import { createRRepository } from './r-repository.ts';

const INDEX =
  'Package: later\nVersion: 1.2\nDepends: R (>= 3.5),\n        methods\n\nPackage: later\nVersion: 1.10\n';
const FILES: Record<string, string | Buffer> = {
  '/cran/src/contrib/PACKAGES.gz': gzipSync(INDEX),
  '/cran/src/contrib/later_1.10.tar.gz': 'current',
  '/cran/src/contrib/Archive/later/later_1.0.tar.gz': 'archived',
  '/plain/src/contrib/PACKAGES': INDEX,
};

let server: Server;
let directory: string;
let serve: RequestListener;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pressroom-repository-'));
  serve = ({ url }, response) => {
    const file = FILES[url ?? ''];
    response.writeHead(file === undefined ? 404 : 200).end(file);
  };
  server = createServer((request, response) => serve(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(directory, { recursive: true });
});

const at = (path: string, user = '') =>
  createRRepository(`http://${user}127.0.0.1:${(server.address() as AddressInfo).port}${path}`);

describe('R repository', () => {
  test('provides the highest version from its index and older ones from its archive', async () => {
    const repository = at('/cran/');
    expect(await repository.current('later', NEVER)).toBe('1.10');
    expect(await repository.current('absent', NEVER)).toBeNull();
    const file = join(directory, 'file');
    expect(await repository.download('later', '1.10', file, NEVER)).toBe(true);
    expect(await readFile(file, 'utf8')).toBe('current');
    expect(await repository.download('later', '1.0', file, NEVER)).toBe(true);
    expect(await readFile(file, 'utf8')).toBe('archived');
    expect(await repository.download('later', '0.9', file, NEVER)).toBe(false);
  });

  test('downloads nothing that would use the reserve of the disk', async () => {
    const { port } = server.address() as AddressInfo;
    const repository = createRRepository(`http://127.0.0.1:${port}/cran/`, { reserve: 2 ** 60 });
    const file = join(directory, 'file');
    await expect(repository.download('later', '1.10', file, NEVER)).rejects.toMatchObject({
      code: 134,
      message: expect.stringContaining('Applications.DiskReserve'),
    });
  });

  test('may have an uncompressed index', async () => {
    expect(await at('/plain').current('later', NEVER)).toBe('1.10');
  });

  test('receives the credentials of its address, which errors do not show', async () => {
    let seen: string | undefined;
    serve = (request, response) => {
      seen = request.headers.authorization;
      response.writeHead(503).end();
    };
    const repository = at('/cran', 'me:s%40cret@');
    const asked = repository.current('later', NEVER);
    await expect(asked).rejects.toMatchObject({
      code: 1,
      message: expect.stringMatching(
        /^the R repository http:\/\/127\.0\.0\.1:\d+\/cran cannot be used: it returns 503$/,
      ),
    });
    expect(seen).toBe(`Basic ${Buffer.from('me:s@cret').toString('base64')}`);
  });

  test.each([['/absent', /it has no index/]])('reports what is wrong with %s', async (path, words) => {
    await expect(at(path).current('later', NEVER)).rejects.toThrow(words);
  });

  test('reports a failed connection', async () => {
    const repository = at('/cran');
    server.close();
    await once(server, 'close');
    await expect(repository.current('later', NEVER)).rejects.toThrow(/cannot be used: .*ECONNREFUSED/);
  });

  test('reads a hostile index up to a limit without blocking the event loop', async () => {
    const respond = (text: Buffer) => {
      const packed = gzipSync(text, { level: 1 });
      serve = (_request, response) => response.end(packed);
      return at('/cran').current('later', NEVER);
    };
    let longest = 0;
    let last = process.threadCpuUsage();
    const watching = setInterval(() => {
      longest = Math.max(longest, process.threadCpuUsage(last).user / 1000);
      last = process.threadCpuUsage();
    }, 1);
    const many = Buffer.alloc(16 * 2 ** 20, 'ab\n\n');
    last = process.threadCpuUsage();
    expect(await respond(many)).toBeNull();
    clearInterval(watching);
    // 1 s of processor time is far more than a thousand lines need. Parsing all at once took many seconds.
    expect(longest).toBeLessThan(1000);
    const names = Array.from({ length: 260_000 }, (_, i) => `Package: p${i}\nVersion: 1.0\n`).join('\n');
    await expect(respond(Buffer.from(names))).rejects.toThrow('more than 250000 packages');
  });

  test('stops when the restore is cancelled', async () => {
    const cancel = new AbortController();
    serve = () => cancel.abort(new Error('cancelled'));
    await expect(at('/cran').current('later', cancel.signal)).rejects.toThrow('cancelled');
  });
});
