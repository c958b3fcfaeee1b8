// Covers a deployed directory over HTTP.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readlink, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startTestSite, type TestSite } from './test-site.ts';

const PAGE = '<p>Hello</p>';
const LARGE = Buffer.alloc(1_000_000, '0123456789');

async function startSite(): Promise<TestSite> {
  const site = await startTestSite();
  await site.put('index.html', PAGE);
  await site.put('manifest.json', '{}');
  await site.put('data/large.bin', LARGE);
  await site.put('sub/index.html', 'sub');
  await site.put('empty/other.txt', 'other');
  return site;
}

/** Counts the descriptors of this process that point below a directory. */
async function openBelow(directory: string): Promise<number> {
  const numbers = await readdir('/proc/self/fd');
  const paths = await Promise.all(
    numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')),
  );
  return paths.filter((path) => path.startsWith(directory)).length;
}

describe('Files of a site', () => {
  it('are served with type, length, validators and nosniff, alike from disk and memory', async () => {
    await using site = await startSite();
    const first = await site.ask('/index.html');
    const second = await site.ask('/index.html');
    for (const { status, headers, body, outcome } of [first, second]) {
      expect(status).toBe(200);
      expect(body.toString()).toBe(PAGE);
      expect(outcome).toEqual({ status: 200, isPage: true });
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-length': String(PAGE.length),
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'accept-ranges': 'bytes',
        etag: expect.stringMatching(/^"7-[^"]+"$/),
        'last-modified': expect.stringMatching(/GMT$/),
      });
    }
    expect(second.headers.etag).toBe(first.headers.etag);
  });

  it('are read once when small', async () => {
    await using site = await startSite();
    await site.ask('/index.html');
    await rename(site.root, `${site.root}-gone`);
    expect((await site.ask('/index.html')).body.toString()).toBe(PAGE);
  });

  it('are streamed byte for byte and closed when large', async () => {
    await using site = await startSite();
    const { status, body, headers, outcome } = await site.ask('/data/large.bin');
    expect(status).toBe(200);
    expect(body.equals(LARGE)).toBe(true);
    expect(headers['content-length']).toBe('1000000');
    expect(headers['content-type']).toBe('application/octet-stream');
    expect(outcome.isPage).toBe(false);
    expect(await openBelow(site.directory)).toBe(0);
  });

  it.each([
    ['small', 'lost?'],
    ['large', 'lost?'.repeat(100_000)],
  ])('return the site’s 404.html when missing, a %s one', async (_size, page) => {
    await using site = await startSite();
    await site.put('404.html', page);
    for (const path of ['/none', '/empty/', '/.secret', '/sub/none.html?a=1', '/none']) {
      const { status, headers, body, outcome } = await site.ask(path, { 'if-none-match': '*' });
      expect([status, body.toString() === page, headers.etag]).toEqual([404, true, undefined]);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(outcome).toEqual({ status: 404, isPage: false });
    }
    const head = await site.ask('/none', {}, 'HEAD');
    expect([head.status, head.body.length]).toEqual([404, 0]);
    expect((await site.ask('/404.html')).status).toBe(200);
  });

  it('are served when empty', async () => {
    await using site = await startSite();
    await site.put('none.css', '');
    const { status, headers, body } = await site.ask('/none.css');
    expect([status, headers['content-length'], body.length]).toEqual([200, '0', 0]);
  });

  it.each([
    ['style.css', 'text/css; charset=utf-8'],
    ['app.js', 'text/javascript; charset=utf-8'],
    ['data.json', 'application/json; charset=utf-8'],
    ['plot.svg', 'image/svg+xml'],
    ['plot.png', 'image/png'],
    ['notes.txt', 'text/plain; charset=utf-8'],
    ['font.woff2', 'font/woff2'],
    ['module.wasm', 'application/wasm'],
    ['no-extension', 'application/octet-stream'],
    ['PAGE.HTML', 'text/html; charset=utf-8'],
  ])('serves %s as %s', async (name, type) => {
    await using site = await startSite();
    await site.put(name, 'x');
    expect((await site.ask(`/${name}`)).headers['content-type']).toBe(type);
  });

  it('have the caller’s headers, and HEAD the same without a body', async () => {
    await using site = await startSite();
    site.settings.headers = { 'X-Frame-Options': 'SAMEORIGIN' };
    for (const path of ['/index.html', '/data/large.bin', '/none']) {
      const get = await site.ask(path);
      const head = await site.ask(path, {}, 'HEAD');
      expect(head.status).toBe(get.status);
      expect(head.body.length).toBe(0);
      expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' });
      expect(get.headers['x-frame-options']).toBe('SAMEORIGIN');
    }
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('reject %s with 405 and Allow', async (method) => {
    await using site = await startSite();
    const { status, headers, outcome } = await site.ask('/index.html', {}, method);
    expect([status, headers.allow, outcome.isPage]).toEqual([405, 'GET, HEAD', false]);
  });
});

describe('Names in URLs', () => {
  it.each([
    ['a b.txt', '/a%20b.txt'],
    ['ünï/日本.txt', `/${encodeURIComponent('ünï')}/${encodeURIComponent('日本')}.txt`],
    ['a%20b', '/a%2520b'],
    ['what?', '/what%3F'],
    ['a+b.txt', '/a+b.txt'],
    ['a&b;c.txt', '/a&b;c.txt'],
  ])('serves %s at %s', async (name, path) => {
    await using site = await startSite();
    await site.put(name, name);
    for (let time = 0; time < 2; time++) expect((await site.ask(path)).body.toString()).toBe(name);
  });

  it('are decoded once, also when a cached file has the decoded name', async () => {
    await using site = await startSite();
    await site.put('a%20b', 'percent');
    await site.put('what?x', 'question');
    expect((await site.ask('/a%2520b')).status).toBe(200);
    expect((await site.ask('/a%20b')).status).toBe(404);
    expect((await site.ask('/what%3Fx')).status).toBe(200);
    expect((await site.ask('/what?x')).status).toBe(404);
  });

  it('are found with any query', async () => {
    await using site = await startSite();
    expect((await site.ask('/index.html?v=1')).status).toBe(200);
    expect((await site.ask('/?v=/../..')).body.toString()).toBe(PAGE);
  });

  it.each(['/%', '/%zz', '/%c0%af', '/a%e0%80', '/index.html%00', '/%00'])(
    'returns 400 for %s',
    async (path) => {
      await using site = await startSite();
      expect((await site.ask(path)).status).toBe(400);
    },
  );

  it.each([
    '/..',
    '/../secret.txt',
    '/sub/../../secret.txt',
    '/sub/../index.html',
    '/./index.html',
    '/%2e%2e/secret.txt',
    '/%2E%2E%2Fsecret.txt',
    '/..%2fsecret.txt',
    '/sub%2Findex.html',
    '/..%5csecret.txt',
    '/..\\secret.txt',
    '/sub/..%252f..%252fsecret.txt',
    '//secret.txt',
    '//index.html',
    '/sub//index.html',
    '///',
    '/index.html/',
    '/index.html/x',
    '/none',
    '/none/',
    `/${'x'.repeat(300)}`,
    '/manifest.json',
    '/manifest%2ejson',
    '/.env',
    '/.git/config',
    '/sub/.htaccess',
    '/%2eenv',
  ])('returns 404 for %s', async (path) => {
    await using site = await startSite();
    await writeFile(join(site.directory, 'secret.txt'), 'secret');
    await site.put('.env', 'secret');
    await site.put('.git/config', 'secret');
    await site.put('sub/.htaccess', 'secret');
    const { status, body } = await site.ask(path);
    expect(status).toBe(404);
    expect(body.toString()).toBe('Not Found\n');
  });

  it('serves manifest.json of a subdirectory', async () => {
    await using site = await startSite();
    await site.put('app/manifest.json', '{"name":"app"}');
    expect((await site.ask('/app/manifest.json')).status).toBe(200);
  });
});

describe('Links and special files', () => {
  it('return 404 for links to files and directories, inside or outside', async () => {
    await using site = await startSite();
    await writeFile(join(site.directory, 'secret.txt'), 'secret');
    await mkdir(join(site.directory, 'outside'));
    await writeFile(join(site.directory, 'outside', 'index.html'), 'secret');
    await symlink('../secret.txt', join(site.root, 'out.txt'));
    await symlink('index.html', join(site.root, 'in.html'));
    await symlink('../outside', join(site.root, 'dir'));
    await symlink('sub', join(site.root, 'alias'));
    for (const path of [
      '/out.txt',
      '/in.html',
      '/dir',
      '/dir/',
      '/dir/index.html',
      '/alias/',
      '/alias/index.html',
    ]) {
      expect([path, (await site.ask(path)).status]).toEqual([path, 404]);
    }
    expect(await openBelow(site.directory)).toBe(0);
  });

  it('return 404 when a link replaces a known large file or its directory', async () => {
    await using site = await startSite();
    expect((await site.ask('/data/large.bin')).status).toBe(200);
    await rename(join(site.root, 'data'), join(site.directory, 'elsewhere'));
    await symlink('../elsewhere', join(site.root, 'data'));
    expect((await site.ask('/data/large.bin')).status).toBe(404);
    await rm(join(site.root, 'data'));
    await mkdir(join(site.root, 'data'));
    await symlink('../../elsewhere/large.bin', join(site.root, 'data', 'large.bin'));
    expect((await site.ask('/data/large.bin')).status).toBe(404);
  });

  it('follows a link above the root', async () => {
    await using site = await startSite();
    await symlink('root', join(site.directory, 'current'));
    site.settings.root = join(site.directory, 'current');
    expect((await site.ask('/data/large.bin')).status).toBe(200);
    expect((await site.ask('/')).status).toBe(200);
  });

  it('return 404 for a FIFO without waiting', async () => {
    await using site = await startSite();
    await promisify(execFile)('mkfifo', [join(site.root, 'pipe.html')]);
    expect((await site.ask('/pipe.html')).status).toBe(404);
  });
});

describe('Directories', () => {
  it('show the primary file at the root under both names', async () => {
    await using site = await startSite();
    await site.put('report.html', 'report');
    site.settings.primary = 'report.html';
    for (let time = 0; time < 2; time++) {
      expect((await site.ask('/')).body.toString()).toBe('report');
      expect((await site.ask('/report.html')).body.toString()).toBe('report');
    }
    expect((await site.ask('/')).outcome).toEqual({ status: 200, isPage: true });
  });

  it('fall back to index.html when the primary file is missing or must not be served', async () => {
    await using site = await startSite();
    for (const primary of ['none.html', '../secret.txt', 'manifest.json', '.env', '']) {
      site.settings.primary = primary;
      site.site.drop(site.root);
      expect((await site.ask('/')).body.toString()).toBe(PAGE);
    }
  });

  it('accept any name for the primary file', async () => {
    await using site = await startSite();
    await site.put('50% off?.html', 'half');
    site.settings.primary = '50% off?.html';
    expect((await site.ask('/')).body.toString()).toBe('half');
  });

  it('show index.html below the root and redirect to the slash, keeping the query', async () => {
    await using site = await startSite();
    expect((await site.ask('/sub/')).body.toString()).toBe('sub');
    const { status, headers, outcome } = await site.ask('/sub?a=b');
    expect([status, headers.location, outcome.isPage]).toEqual([308, './sub/?a=b', false]);
  });

  it('redirect within the site, whatever their name is', async () => {
    await using site = await startSite();
    for (const name of ['http:', 'a b', 'javascript:x']) {
      await site.put(`${name}/index.html`, 'x');
      const path = `/${encodeURI(name)}`;
      const location = new URL((await site.ask(path)).headers.location ?? '', `${site.url}${path}`);
      expect(location.href).toBe(`${site.url}${path}/`);
    }
  });

  it('return 404 without a page, with and without the slash', async () => {
    await using site = await startSite();
    expect((await site.ask('/empty/')).status).toBe(404);
    expect((await site.ask('/empty')).status).toBe(404);
  });
});

describe('Redeploys', () => {
  it('show the new files at once with another ETag when the root changes', async () => {
    await using site = await startSite();
    const before = await site.ask('/index.html');
    const root = join(site.directory, 'next');
    await mkdir(root);
    await writeFile(join(root, 'index.html'), '<p>Howdy</p>');
    Object.assign(site.settings, { root, version: '8' });
    const after = await site.ask('/index.html', { 'If-None-Match': before.headers.etag ?? '' });
    expect(after.status).toBe(200);
    expect(after.body.toString()).toBe('<p>Howdy</p>');
    expect(after.headers.etag).not.toBe(before.headers.etag);
  });

  it('show the new files at once when only the version changes', async () => {
    await using site = await startSite();
    const before = await site.ask('/index.html');
    await utimes(join(site.root, 'index.html'), new Date(before.headers['last-modified'] ?? ''), new Date(0));
    await writeFile(join(site.root, 'index.html'), PAGE.toUpperCase());
    site.settings.version = '8';
    expect((await site.ask('/index.html')).body.toString()).toBe(PAGE.toUpperCase());
  });

  it('drop clears the files in memory', async () => {
    await using site = await startSite();
    await site.ask('/index.html');
    await writeFile(join(site.root, 'index.html'), 'other');
    site.site.drop(site.root);
    expect((await site.ask('/index.html')).body.toString()).toBe('other');
  });

  it('return 404 for an old root once it is removed', async () => {
    await using site = await startSite();
    expect((await site.ask('/data/large.bin')).status).toBe(200);
    await rm(site.root, { recursive: true });
    expect((await site.ask('/data/large.bin')).status).toBe(404);
    expect((await site.ask('/other.html')).status).toBe(404);
  });
});

describe('Clients that disconnect', () => {
  it('leave no descriptor open in the middle of a large file', async () => {
    await using site = await startSite();
    // Larger than all socket buffers, so that the server is still sending.
    await site.put('huge.bin', Buffer.alloc(64 * 1024 ** 2));
    const socket = connect(Number(new URL(site.url).port), '127.0.0.1');
    socket.write('GET /huge.bin HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    expect(await site.lastOutcome()).toEqual({ status: 200, isPage: false });
    expect(await openBelow(site.directory)).toBe(0);
  });

  it('do not affect other clients', async () => {
    await using site = await startSite();
    await site.put('huge.bin', Buffer.alloc(8 * 1024 ** 2, 'abcdefgh'));
    const sockets = Array.from({ length: 10 }, () => connect(Number(new URL(site.url).port), '127.0.0.1'));
    for (const socket of sockets) socket.write('GET /huge.bin HTTP/1.1\r\nHost: x\r\n\r\n');
    await Promise.all(sockets.map((socket) => once(socket, 'data')));
    for (const socket of sockets) socket.destroy();
    const bodies = await Promise.all(Array.from({ length: 25 }, () => site.ask('/huge.bin')));
    for (const { body } of bodies) expect(body.equals(Buffer.alloc(8 * 1024 ** 2, 'abcdefgh'))).toBe(true);
  });
});

describe('Concurrent first visits', () => {
  it('get the same response', async () => {
    await using site = await startSite();
    const responses = await Promise.all(Array.from({ length: 50 }, () => site.ask('/sub/')));
    expect(new Set(responses.map(({ body }) => body.toString()))).toEqual(new Set(['sub']));
  });
});
