// Covers conditional and range requests over HTTP, for files in memory and for streamed files.
import { describe, expect, it } from 'vitest';
import { startTestSite, type TestSite } from './test-site.ts';

const TEXT = Buffer.from('0123456789');
const LARGE = Buffer.from(Array.from({ length: 700_000 }, (_, i) => i % 251));

async function startSite(): Promise<TestSite> {
  const site = await startTestSite();
  await site.put('small.txt', TEXT);
  await site.put('large.bin', LARGE);
  await site.put('empty.txt', '');
  return site;
}

describe.each(['/small.txt', '/large.bin'])('Conditions on %s', (path) => {
  async function askWith(headers: Record<string, (etag: string, date: string) => string>, method = 'GET') {
    await using site = await startSite();
    const { etag = '', 'last-modified': date = '' } = (await site.ask(path)).headers;
    const values = Object.entries(headers).map(([name, of]) => [name, of(etag, date)]);
    // `return await`, since the site closes at the end of this scope.
    return await site.ask(path, Object.fromEntries(values), method);
  }
  const later = (date: string) => new Date(Date.parse(date) + 1000).toUTCString();
  const earlier = (date: string) => new Date(Date.parse(date) - 1000).toUTCString();

  it.each([
    ['If-None-Match with the tag', { 'If-None-Match': (etag: string) => etag }, 304],
    ['If-None-Match with the weak tag', { 'If-None-Match': (etag: string) => `W/${etag}` }, 304],
    ['If-None-Match with a list', { 'If-None-Match': (etag: string) => `"a", ${etag},"b"` }, 304],
    ['If-None-Match with a star', { 'If-None-Match': () => '*' }, 304],
    ['If-None-Match with another', { 'If-None-Match': () => '"another"' }, 200],
    [
      'If-None-Match with a part of the tag',
      { 'If-None-Match': (etag: string) => etag.slice(0, -2) + '"' },
      200,
    ],
    ['If-None-Match with nonsense', { 'If-None-Match': () => 'nonsense' }, 200],
    ['If-Modified-Since the date', { 'If-Modified-Since': (_: string, date: string) => date }, 304],
    ['If-Modified-Since later', { 'If-Modified-Since': (_: string, date: string) => later(date) }, 200],
    ['If-Modified-Since earlier', { 'If-Modified-Since': (_: string, date: string) => earlier(date) }, 200],
    ['If-Modified-Since nonsense', { 'If-Modified-Since': () => 'yesterday' }, 200],
    [
      'another tag with the same date: the tag decides',
      { 'If-None-Match': () => '"another"', 'If-Modified-Since': (_: string, date: string) => date },
      200,
    ],
    ['If-Match with the tag', { 'If-Match': (etag: string) => etag }, 200],
    ['If-Match with the weak tag', { 'If-Match': (etag: string) => `W/${etag}` }, 412],
    ['If-Match with another', { 'If-Match': () => '"another"' }, 412],
    ['If-Match with a star', { 'If-Match': () => '*' }, 200],
    ['If-Unmodified-Since the date', { 'If-Unmodified-Since': (_: string, date: string) => date }, 200],
    [
      'If-Unmodified-Since earlier',
      { 'If-Unmodified-Since': (_: string, date: string) => earlier(date) },
      412,
    ],
  ])('evaluates %s', async (_name, headers, status) => {
    const response = await askWith(headers as Record<string, (etag: string, date: string) => string>);
    expect(response.status).toBe(status);
    expect(response.body.length > 0).toBe(status === 200);
  });

  it('304 repeats the validators and has no Content-Length', async () => {
    const { headers } = await askWith({ 'If-None-Match': (etag) => etag });
    expect(headers).toMatchObject({ etag: expect.any(String), 'cache-control': 'no-cache' });
    expect(headers).not.toHaveProperty('content-length');
  });

  it('returns 304 for HEAD too', async () => {
    expect((await askWith({ 'If-None-Match': (etag) => etag }, 'HEAD')).status).toBe(304);
  });

  it.each([
    ['the tag', (etag: string) => etag, 206],
    ['the date', (_: string, date: string) => date, 206],
    ['another tag', () => '"another"', 200],
    ['the weak tag', (etag: string) => `W/${etag}`, 200],
    ['an earlier date', (_: string, date: string) => earlier(date), 200],
    ['a later date', (_: string, date: string) => later(date), 200],
  ])('evaluates If-Range with %s', async (_name, value, status) => {
    const response = await askWith({ Range: () => 'bytes=0-3', 'If-Range': value });
    expect(response.status).toBe(status);
    expect(response.body.length).toBe(
      status === 206 ? 4 : path === '/small.txt' ? TEXT.length : LARGE.length,
    );
  });

  it('a matching If-None-Match takes precedence over Range', async () => {
    expect((await askWith({ Range: () => 'bytes=0-3', 'If-None-Match': (etag) => etag })).status).toBe(304);
  });
});

describe.each([
  ['/small.txt', TEXT],
  ['/large.bin', LARGE],
])('Ranges of %s', (path, content) => {
  const size = content.length;

  it.each([
    ['bytes=0-0', 0, 1],
    ['bytes=2-4', 2, 5],
    ['bytes=3-', 3, size],
    ['bytes=-4', size - 4, size],
    [`bytes=-${size * 2}`, 0, size],
    [`bytes=5-${size * 2}`, 5, size],
    [`bytes=${size - 1}-`, size - 1, size],
    [`bytes=0-${size - 1}`, 0, size],
    ['BYTES=1-2', 1, 3],
    ['bytes=0-99999999999999999999', 0, size],
  ])('returns 206 for %s', async (range, start, end) => {
    await using site = await startSite();
    const { status, headers, body } = await site.ask(path, { Range: range });
    expect(status).toBe(206);
    expect(headers['content-range']).toBe(`bytes ${start}-${end - 1}/${size}`);
    expect(headers['content-length']).toBe(String(end - start));
    expect(body.equals(content.subarray(start, end))).toBe(true);
  });

  it.each([`bytes=${size}-`, `bytes=${size * 3}-${size * 4}`, 'bytes=-0'])(
    'returns 416 for %s',
    async (range) => {
      await using site = await startSite();
      const { status, headers, body } = await site.ask(path, { Range: range });
      expect([status, headers['content-range'], body.length]).toEqual([416, `bytes */${size}`, 0]);
    },
  );

  it.each([
    'bytes=4-2',
    'bytes=-',
    'bytes=a-b',
    'bytes',
    'lines=0-1',
    'bytes=0-1,3-4',
    'bytes=0x1-2',
    'bytes=1--2',
  ])('ignores %s', async (range) => {
    await using site = await startSite();
    const { status, body } = await site.ask(path, { Range: range });
    expect(status).toBe(200);
    expect(body.equals(content)).toBe(true);
  });

  it('ignores ranges for HEAD', async () => {
    await using site = await startSite();
    const { status, headers } = await site.ask(path, { Range: 'bytes=0-1' }, 'HEAD');
    expect([status, headers['content-length']]).toEqual([200, String(size)]);
  });

  it('returns ranges that add up to the file', async () => {
    await using site = await startSite();
    const step = Math.ceil(size / 3);
    const parts = await Promise.all(
      [0, 1, 2].map((i) => site.ask(path, { Range: `bytes=${i * step}-${(i + 1) * step - 1}` })),
    );
    expect(Buffer.concat(parts.map(({ body }) => body)).equals(content)).toBe(true);
  });
});

describe('Ranges of an empty file', () => {
  it('returns 416', async () => {
    await using site = await startSite();
    expect((await site.ask('/empty.txt', { Range: 'bytes=0-' })).status).toBe(416);
  });
});
