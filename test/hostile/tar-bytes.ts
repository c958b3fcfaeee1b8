// Hand-made tar and gzip bytes, to be wrong in exactly one way.
import { gzipSync } from 'node:zlib';

/** Header fields; defaults are correct. */
export interface TarItem {
  name: string | Buffer;
  type?: string;
  body?: string | Buffer;
  /** Replaces the body size in the header. */
  size?: number | string | Buffer;
  mode?: number;
  linkname?: string;
  prefix?: string;
  magic?: string;
  /** Replaces the computed checksum. */
  checksum?: number;
}

/** One entry: header, body, padding. */
export function entry(item: TarItem): Buffer {
  const body = Buffer.from(item.body ?? '');
  const block = Buffer.alloc(512);
  const name = Buffer.isBuffer(item.name) ? item.name : Buffer.from(item.name);
  name.copy(block, 0, 0, 100);
  block.write(octal(item.mode ?? 0o644, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  const size = item.size ?? body.length;
  if (Buffer.isBuffer(size)) size.copy(block, 124, 0, 12);
  else block.write(typeof size === 'number' ? octal(size, 11) : size, 124, 12);
  block.write(octal(0, 11), 136);
  block.write(item.type ?? '0', 156, 1, 'latin1');
  block.write(item.linkname ?? '', 157, 100);
  block.write(item.magic ?? 'ustar\u000000', 257, 8, 'latin1');
  block.write(item.prefix ?? '', 345, 155);
  block.fill(0x20, 148, 156);
  const sum = item.checksum ?? block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return Buffer.concat([block, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

/** A pax extended header with these records. */
export function pax(records: Record<string, string | Buffer>, type = 'x'): Buffer {
  const body = Buffer.concat(Object.entries(records).map(([key, value]) => paxRecord(key, value)));
  return entry({ name: 'PaxHeaders/x', type, body });
}

/** GNU tar's header for a name longer than 100 bytes. */
export function longName(name: string | Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), Buffer.alloc(1)]);
  return entry({ name: '././@LongLink', type: 'L', body, magic: 'ustar  \0' });
}

/** The two zero blocks at the end of an archive. */
export const END = Buffer.alloc(1024);

/** A whole gzip-compressed archive. */
export function archive(...parts: Buffer[]): Buffer {
  return gzipSync(Buffer.concat([...parts, END]));
}

/** The smallest manifest of a static page; `change` is merged over its top level. */
export function manifestJson(change: Record<string, unknown> = {}): string {
  return JSON.stringify({
    version: 1,
    metadata: { appmode: 'static', primary_html: 'index.html' },
    ...change,
  });
}

/** A well-formed bundle with `extra` entries between its manifest and its page. */
export function bundleWith(...extra: Buffer[]): Buffer {
  return archive(
    entry({ name: 'manifest.json', body: manifestJson() }),
    ...extra,
    entry({ name: 'index.html', body: '<p>Hello</p>' }),
  );
}

/** A bundle whose manifest is `text`. */
export function bundleOf(text: string | Buffer): Buffer {
  return archive(
    entry({ name: 'manifest.json', body: text }),
    entry({ name: 'index.html', body: '<p>Hello</p>' }),
  );
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function paxRecord(key: string, value: string | Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from('\n')]);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}
