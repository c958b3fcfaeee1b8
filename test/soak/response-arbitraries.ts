// Generates invalid HTTP responses: to requests, and to WebSocket handshakes.
import fc from 'fast-check';

/** Most parts of a response are valid, so that each fault is reached while the rest is read. */
const mostly = (good: string, other: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: other });
const bytes = (max: number) => fc.uint8Array({ maxLength: max }).map((value) => Buffer.from(value));
const STATUS = fc.constantFrom(
  '099',
  '000',
  '99',
  '1',
  '100',
  '101',
  '102',
  '103',
  '199',
  '600',
  '999',
  '1000',
  '-1',
  '2OO',
  '',
  '200',
  '204',
  '304',
  '500',
);
const WORDS = fc.constantFrom('OK', 'O\x01K', 'O\x7fK', '\xff\xfe', '', 'O\rK', 'x'.repeat(20_000));
const NAME = fc.constantFrom(
  'X-A',
  'X A',
  'X\x01A',
  '',
  ':',
  'X-\xe9',
  'Content-Length',
  'Transfer-Encoding',
  'Connection',
  'Set-Cookie',
  'Location',
  'Upgrade',
  'Trailer',
  '[object Object]',
  'function Object() { [native code] }',
);
const VALUE = fc.constantFrom(
  'a',
  'a\x00b',
  'a\x01b',
  '\xff',
  '-1',
  '5',
  '999999999999',
  'chunked',
  'chunked, chunked',
  'upgrade',
  'websocket',
  'http://[',
  'x=\x01',
  '[object Object]',
  'y'.repeat(40_000),
  '',
);
const END = fc.constantFrom('\r\n', '\n', '\r', '\r\n ');
const BODY = fc.constantFrom(
  '',
  'hello',
  '5\r\nhello\r\n0\r\n\r\n',
  'zz\r\nhello',
  '5\r\nhello\r\n0\r\nX-Accel-Redirect: /x\r\n\r\n',
  'ffffffffffffffff\r\nx',
  'z'.repeat(100_000),
);

const shaped = fc
  .record({
    version: mostly('HTTP/1.1', fc.constantFrom('HTTP/1.0', 'HTTP/9.9', 'HTTP/', 'ICY', 'http/1.1')),
    status: mostly('200', STATUS),
    words: mostly('OK', WORDS),
    headers: fc.array(fc.tuple(mostly('X-A', NAME), mostly('a', VALUE), mostly('\r\n', END)), {
      maxLength: 6,
    }),
    end: mostly('\r\n', END),
    body: BODY,
  })
  .map(({ version, status, words, headers, end, body }) => {
    const lines = headers.map(([name, value, lineEnd]) => `${name}: ${value}${lineEnd}`);
    return Buffer.from(`${version} ${status} ${words}${end}${lines.join('')}${end}${body}`, 'latin1');
  });

/** Each is sent by an application, followed by the end of the connection. */
export const malformedResponse: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 6, arbitrary: shaped },
  { weight: 1, arbitrary: bytes(300) },
  // Half of one.
  {
    weight: 2,
    arbitrary: fc
      .tuple(shaped, fc.double({ min: 0, max: 1, noNaN: true }))
      .map(([response, part]) => response.subarray(0, Math.floor(response.length * part))),
  },
);

/** Found by hand. */
export const KNOWN_RESPONSES: readonly string[] = [
  'HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 099 No\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 000 No\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 200 OK\r\nX-A: a\x01b\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf',
  `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(200_000)}\r\n\r\n`,
  'HTTP/1.1 302 Found\r\nLocation: http://[\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nSet-Cookie: \x80=\xff; Path=\x01\r\n\r\n',
  '',
  'garbage',
];
