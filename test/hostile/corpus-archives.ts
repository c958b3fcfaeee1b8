// Archives that try to escape their directory, exceed limits, or are ambiguous: error 135.
import { gzipSync } from 'node:zlib';
import type { HostileUpload } from './corpus.ts';
import { archive, bundleWith, END, entry, longName, manifestJson, pax } from './tar-bytes.ts';

const MIB = 1024 ** 2;

/** "e" with an acute accent, composed and decomposed. */
const COMPOSED = '\u00e9';
const DECOMPOSED = 'e\u0301';

const pwned = (name: string | Buffer): Buffer => entry({ name, body: 'pwned' });
const link = (type: string, name: string, linkname: string): Buffer => entry({ name, type, linkname });
const sizeField = (...bytes: number[]): Buffer =>
  Buffer.from([...Array(12 - bytes.length).fill(0), ...bytes]);
const base256 = (value: number): Buffer => {
  const field = sizeField(value);
  field[0] = 0x80;
  return field;
};

const names: [string, () => Buffer][] = [
  ['absolute path', () => bundleWith(pwned('/tmp/pressroom-pwned'))],
  ['absolute path with two slashes', () => bundleWith(pwned('//tmp/pressroom-pwned'))],
  [
    'absolute path through the prefix field',
    () => bundleWith(entry({ name: 'x', prefix: '/tmp', body: 'p' })),
  ],
  ['absolute path through pax', () => bundleWith(pax({ path: '/tmp/pressroom-pwned' }), pwned('x'))],
  ['absolute path through GNU long name', () => bundleWith(longName('/tmp/pressroom-pwned'), pwned('x'))],
  ['absolute directory', () => bundleWith(entry({ name: '/tmp/pressroom-pwned/', type: '5' }))],
  ['parent directory', () => bundleWith(pwned('../pwned'))],
  ['parent directory after ./', () => bundleWith(pwned('./../pwned'))],
  ['parent directory in the middle', () => bundleWith(pwned('a/../../pwned'))],
  ['parent directory that stays inside', () => bundleWith(pwned('a/../pwned'))],
  ['parent directory at the end', () => bundleWith(entry({ name: 'a/..', type: '5' }))],
  ['parent directory alone', () => bundleWith(entry({ name: '..', type: '5' }))],
  [
    'parent directory through the prefix field',
    () => bundleWith(entry({ name: 'pwned', prefix: '..', body: 'p' })),
  ],
  ['parent directory through pax', () => bundleWith(pax({ path: '../pwned' }), pwned('x'))],
  ['parent directory through GNU long name', () => bundleWith(longName('../pwned'), pwned('x'))],
  ['backslash parent directory', () => bundleWith(pwned('..\\pwned'))],
  ['backslash in a name', () => bundleWith(pwned('a\\b'))],
  ['drive letter', () => bundleWith(pwned('C:/pwned'))],
  ['drive-relative name', () => bundleWith(pwned('c:pwned'))],
  ['NUL in a header name', () => bundleWith(pwned(Buffer.from('safe\0/../../pwned')))],
  ['NUL in a pax path', () => bundleWith(pax({ path: 'safe\0/../pwned' }), pwned('x'))],
  ['NUL in a GNU long name', () => bundleWith(longName('safe\0/../pwned'), pwned('x'))],
  ['name that is not UTF-8', () => bundleWith(pwned(Buffer.from([0x61, 0xff, 0xfe])))],
  ['overlong UTF-8 dots', () => bundleWith(pwned(Buffer.from([0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x70])))],
  ['empty name', () => bundleWith(pwned(''))],
  ['file named "."', () => bundleWith(pwned('.'))],
  ['file with content named as a directory', () => bundleWith(pwned('data/'))],
  [
    'path longer than the limit',
    () => bundleWith(pax({ path: 'a/'.repeat(40) + 'b'.repeat(250) + '/c'.repeat(400) }), pwned('x')),
  ],
  ['name longer than a file system takes', () => bundleWith(longName('n'.repeat(300)), pwned('x'))],
  ['too many directories deep', () => bundleWith(longName('d/'.repeat(60) + 'x'), pwned('x'))],
];

const kinds: [string, () => Buffer][] = [
  ['symbolic link out', () => bundleWith(link('2', 'out', '/etc'))],
  [
    'symbolic link, then a file through it',
    () => bundleWith(link('2', 'out', '/tmp'), pwned('out/pressroom-pwned')),
  ],
  ['symbolic link within', () => bundleWith(link('2', 'home.html', 'index.html'))],
  [
    'symbolic link through a GNU long link',
    () => bundleWith(entry({ name: '././@LongLink', type: 'K', body: '/etc/passwd\0' }), link('2', 'x', 'y')),
  ],
  ['hard link out', () => bundleWith(link('1', 'passwd', '/etc/passwd'))],
  ['hard link within', () => bundleWith(link('1', 'copy.json', 'manifest.json'))],
  ['character device', () => bundleWith(entry({ name: 'null', type: '3' }))],
  ['block device', () => bundleWith(entry({ name: 'disk', type: '4' }))],
  ['fifo', () => bundleWith(entry({ name: 'pipe', type: '6' }))],
  ['GNU sparse file', () => bundleWith(entry({ name: 'holes', type: 'S', body: 'x' }))],
  ['pax sparse file', () => bundleWith(pax({ 'GNU.sparse.major': '1', 'GNU.sparse.name': 'a' }), pwned('x'))],
  ['multi-volume continuation', () => bundleWith(entry({ name: 'rest', type: 'M', body: 'x' }))],
  ['unknown entry type', () => bundleWith(entry({ name: 'what', type: 'Z', body: 'x' }))],
  ['directory with content', () => bundleWith(entry({ name: 'dir', type: '5', body: 'hidden' }))],
];

const collisions: [string, () => Buffer][] = [
  ['the same file twice', () => bundleWith(pwned('a.txt'), pwned('a.txt'))],
  ['the manifest twice', () => bundleWith(entry({ name: 'manifest.json', body: manifestJson() }))],
  [
    'the manifest twice, once with ./',
    () => bundleWith(entry({ name: './manifest.json', body: manifestJson() })),
  ],
  ['the same file with inner dots', () => bundleWith(pwned('a/b'), pwned('a/.//b'))],
  ['names that differ in case', () => bundleWith(pwned('Report.html'), pwned('report.HTML'))],
  ['directories that differ in case', () => bundleWith(pwned('Data/a'), pwned('data/b'))],
  ['names that differ in Unicode form', () => bundleWith(pwned(`caf${COMPOSED}`), pwned(`caf${DECOMPOSED}`))],
  ['names that differ in sharp s', () => bundleWith(pwned('Stra\u00dfe'), pwned('STRASSE'))],
  ['names that differ in a Kelvin sign', () => bundleWith(pwned('\u212a'), pwned('k'))],
  ['a file under a file', () => bundleWith(pwned('a'), pwned('a/b'))],
  ['a file in place of a directory', () => bundleWith(pwned('a/b'), pwned('a'))],
  ['a directory in place of a file', () => bundleWith(pwned('a'), entry({ name: 'a/', type: '5' }))],
];

const sizes: [string, () => Buffer][] = [
  ['bomb in one file', () => bundleWith(entry({ name: 'zeros', body: Buffer.alloc(17 * MIB) }))],
  [
    'bomb in many files',
    () =>
      bundleWith(...Array.from({ length: 18 }, (_, i) => entry({ name: `z${i}`, body: Buffer.alloc(MIB) }))),
  ],
  ['bomb after the end of the archive', () => archive(bundleTar(), END, Buffer.alloc(32 * MIB))],
  [
    'bomb of extension headers',
    () =>
      bundleWith(...Array.from({ length: 20 }, (_, i) => pax({ comment: String(i).padEnd(MIB - 64) }, 'g'))),
  ],
  ['too many files', () => bundleWith(...Array.from({ length: 2001 }, (_, i) => entry({ name: `f${i}` })))],
  [
    'too many directories through deep paths',
    () =>
      bundleWith(...Array.from({ length: 60 }, (_, i) => entry({ name: `${i}/` + 'd/'.repeat(40) + 'f' }))),
  ],
  [
    'too many directories listed again',
    () => bundleWith(...Array.from({ length: 2001 }, () => entry({ name: 'dir/', type: '5' }))),
  ],
  ['size in base 256', () => bundleWith(entry({ name: 'x', size: base256(5), body: 'pwned' }))],
  [
    'negative size in base 256',
    () => bundleWith(entry({ name: 'x', size: Buffer.alloc(12, 0xff), body: 'pwned' })),
  ],
  ['size that is no number', () => bundleWith(entry({ name: 'x', size: 'not-octal!!', body: 'pwned' }))],
  ['size with a minus sign', () => bundleWith(entry({ name: 'x', size: '-0000000005', body: 'pwned' }))],
  ['size of eight gigabytes', () => bundleWith(entry({ name: 'x', size: '77777777777', body: 'pwned' }))],
  ['pax size beyond the limit', () => bundleWith(pax({ size: '999999999999' }), pwned('x'))],
  ['pax size that is no number', () => bundleWith(pax({ size: '5e0' }), pwned('x'))],
  ['pax size in every entry', () => bundleWith(pax({ size: '0' }, 'g'))],
  ['pax path for every entry', () => bundleWith(pax({ path: 'index.html' }, 'g'))],
  ['pax header larger than a mebibyte', () => bundleWith(pax({ comment: 'c'.repeat(2 * MIB) }), pwned('x'))],
  ['GNU long name larger than a path', () => bundleWith(longName('a/'.repeat(5000)), pwned('x'))],
  [
    'pax record with a wrong length',
    () => bundleWith(entry({ name: 'p', type: 'x', body: '99 path=x\n' }), pwned('x')),
  ],
  [
    'pax record without an equals sign',
    () => bundleWith(entry({ name: 'p', type: 'x', body: '7 path\n' }), pwned('x')),
  ],
  [
    'pax record of length zero',
    () => bundleWith(entry({ name: 'p', type: 'x', body: '0 path=x\n' }), pwned('x')),
  ],
  ['two pax headers for one entry', () => bundleWith(pax({ path: 'a' }), pax({ path: 'b' }), pwned('x'))],
  ['two long names for one entry', () => bundleWith(longName('a'), longName('b'), pwned('x'))],
];

const framing: [string, () => Buffer][] = [
  ['not gzip: text', () => Buffer.from('<html>not an archive</html>')],
  ['not gzip: a zip file', () => Buffer.from('PK\u0003\u0004 and so on', 'latin1')],
  ['not gzip: a bare tar', () => Buffer.concat([bundleTar(), END])],
  ['gzip of text', () => gzipSync('hello, world\n'.repeat(100))],
  ['gzip of nothing', () => gzipSync('')],
  ['gzip of gzip', () => gzipSync(bundleWith())],
  ['gzip header only', () => bundleWith().subarray(0, 10)],
  ['gzip cut in the middle', () => bundleWith().subarray(0, 120)],
  ['gzip cut in its trailer', () => bundleWith().subarray(0, -3)],
  ['gzip with a wrong checksum', () => flip(bundleWith(), -8)],
  ['gzip with a wrong length', () => flip(bundleWith(), -1)],
  ['gzip with damaged data', () => flip(bundleWith(), 60)],
  ['garbage after gzip', () => Buffer.concat([bundleWith(), Buffer.from('garbage')])],
  ['zeros after gzip', () => Buffer.concat([bundleWith(), Buffer.alloc(512)])],
  ['half a member after gzip', () => Buffer.concat([bundleWith(), bundleWith().subarray(0, 40)])],
  [
    'a second archive in a second gzip member',
    () => Buffer.concat([bundleWith(), bundleWith(pwned('second'))]),
  ],
  [
    'a second archive in the same member',
    () => archive(bundleTar(), END, entry({ name: 'late', body: 'pwned' })),
  ],
  ['an entry after one zero block', () => archive(bundleTar(), Buffer.alloc(512), pwned('late'))],
  [
    'garbage after the end of the archive',
    () => gzipSync(Buffer.concat([bundleTar(), END, Buffer.from('x')])),
  ],
  ['tar without an end', () => gzipSync(bundleTar())],
  ['tar cut in a header', () => gzipSync(bundleTar().subarray(0, 1300))],
  ['tar cut in a body', () => gzipSync(bundleTar().subarray(0, 520))],
  ['tar that ends after a pax header', () => archive(bundleTar(), pax({ path: 'x' }))],
  ['tar with a wrong header checksum', () => bundleWith(entry({ name: 'x', body: 'p', checksum: 1 }))],
  ['tar with a foreign magic', () => bundleWith(entry({ name: 'x', body: 'p', magic: 'rats\0\0' }))],
];

/** All archives that must be refused. */
export const hostileArchives: HostileUpload[] = Object.entries({
  names,
  kinds,
  collisions,
  sizes,
  framing,
}).flatMap(([group, items]) =>
  items.map(([name, bytes]) => ({
    name: `${group}: ${name}`,
    code: 135 as const,
    bytes: async () => bytes(),
  })),
);

function bundleTar(): Buffer {
  return Buffer.concat([
    entry({ name: 'manifest.json', body: manifestJson() }),
    entry({ name: 'index.html', body: '<p>Hello</p>' }),
  ]);
}

function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  const index = at < 0 ? copy.length + at : at;
  copy[index] = (copy[index] ?? 0) ^ 0xff;
  return copy;
}
