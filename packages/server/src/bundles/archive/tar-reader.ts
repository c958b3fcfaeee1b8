// A push parser for tar streams that checks each entry before it passes on any of its bytes.
import { quoteName } from '@pressroom/api/contract';
import type { ArchiveEntry, EntryRules } from './entry-rules.ts';
import { badArchive } from './refusals.ts';
import {
  BLOCK,
  isZero,
  nameText,
  paxNumber,
  readHeader,
  readPaxRecords,
  type TarHeader,
} from './tar-header.ts';

/** Receives the entries in order; a returned promise pauses the parser until it settles. */
export interface EntrySink {
  begin(entry: ArchiveEntry): Promise<void> | void;
  /** A chunk of the current file; the sink may keep its memory. */
  data(piece: Buffer): Promise<void> | void;
  finish(): Promise<void> | void;
}

/** A parser of one tar stream. */
export interface TarReader {
  /** @throws ApiError 135, or what the sink throws */
  push(chunk: Buffer): Promise<void>;
  /** Marks the end of the stream. @throws ApiError 135 if the archive is incomplete */
  end(): void;
}

/** Pax headers have attributes that the server ignores, but they are held in memory. */
const MAX_PAX_BYTES = 1024 ** 2;
/** Zeros after the end marker: writers pad to their record size, commonly 10 KiB. */
const MAX_TRAILER_BYTES = 4 * 1024 ** 2;

const REFUSED_TYPES: Record<string, string> = {
  '1': 'a hard link',
  '2': 'a symbolic link',
  '3': 'a character device',
  '4': 'a block device',
  '6': 'a fifo',
  K: 'a long link',
  S: 'a sparse file',
};

/** A parser that passes entries accepted by `rules` to `sink`. */
export function createTarReader(options: {
  rules: EntryRules;
  maxPathBytes: number;
  sink: EntrySink;
}): TarReader {
  const { rules, maxPathBytes, sink } = options;
  const block = Buffer.alloc(BLOCK);
  let state: 'header' | 'extension' | 'body' | 'padding' | 'trailer' = 'header';
  let held = 0;
  let remaining = 0;
  let padding = 0;
  let trailer = 0;
  let extension = { type: '', data: Buffer.alloc(0) };
  let pax: Map<string, Buffer> | null = null;
  let longName: string | null = null;

  async function push(chunk: Buffer): Promise<void> {
    let at = 0;
    while (at < chunk.length) {
      const available = chunk.length - at;
      if (state === 'header') {
        const taken = Math.min(BLOCK - held, available);
        chunk.copy(block, held, at, at + taken);
        held += taken;
        at += taken;
        if (held === BLOCK) {
          held = 0;
          const pending = takeHeader();
          if (pending !== null) await pending;
        }
      } else if (state === 'body') {
        const taken = Math.min(remaining, available);
        const pending = sink.data(chunk.subarray(at, at + taken));
        if (pending !== undefined) await pending;
        at += taken;
        remaining -= taken;
        if (remaining === 0) {
          await sink.finish();
          state = padding > 0 ? 'padding' : 'header';
        }
      } else if (state === 'extension') {
        const taken = Math.min(remaining, available);
        chunk.copy(extension.data, extension.data.length - remaining, at, at + taken);
        at += taken;
        remaining -= taken;
        if (remaining === 0) {
          takeExtension();
          state = padding > 0 ? 'padding' : 'header';
        }
      } else if (state === 'padding') {
        const taken = Math.min(padding, available);
        at += taken;
        padding -= taken;
        if (padding === 0) state = 'header';
      } else {
        takeTrailer(chunk.subarray(at));
        at = chunk.length;
      }
    }
  }

  function takeTrailer(rest: Buffer): void {
    trailer += rest.length;
    if (trailer > MAX_TRAILER_BYTES || !isZero(rest))
      throw badArchive('something follows the end of the archive');
  }

  function takeHeader(): Promise<void> | null {
    if (block[0] === 0 && isZero(block)) {
      if (pax !== null || longName !== null) throw badArchive('it ends after an extension header');
      state = 'trailer';
      return null;
    }
    const header = readHeader(block);
    if (header.type === 'x' || header.type === 'g' || header.type === 'L') {
      beginExtension(header);
      return null;
    }
    return beginEntry(header);
  }

  function beginExtension({ type, size }: TarHeader): void {
    const repeated = type === 'x' ? pax !== null : type === 'L' && longName !== null;
    if (repeated) throw badArchive('an entry has two extension headers of one kind');
    // A long name ends with a NUL.
    const limit = type === 'L' ? maxPathBytes + 1 : MAX_PAX_BYTES;
    if (size > limit) throw badArchive(`an extension header is larger than ${limit} bytes`);
    if (size === 0) throw badArchive('an extension header is empty');
    rules.spend(size);
    if (type === 'g') rules.count();
    extension = { type, data: Buffer.alloc(size) };
    expect('extension', size);
  }

  function takeExtension(): void {
    const { type, data } = extension;
    if (type === 'L') {
      let end = data.length;
      while (end > 0 && data[end - 1] === 0) end -= 1;
      longName = nameText(data.subarray(0, end));
      return;
    }
    const records = readPaxRecords(data);
    if ([...records.keys()].some((key) => key.startsWith('GNU.sparse.')))
      throw badArchive('it has a sparse file');
    if (type === 'x') {
      pax = records;
    } else if (records.has('path') || records.has('size') || records.has('linkpath')) {
      // `git archive` writes a global comment; a global name or size has no legitimate use.
      throw badArchive('a global header sets the path or size of every entry');
    }
  }

  async function beginEntry(header: TarHeader): Promise<void> {
    const path = pax?.get('path');
    const name = path === undefined ? (longName ?? header.name) : nameText(path);
    const size = pax?.has('size') ? paxNumber(pax.get('size') ?? Buffer.alloc(0)) : header.size;
    pax = null;
    longName = null;
    const entry = rules.admit({
      name,
      type: typeOf(header.type, name, size),
      size,
      executable: (header.mode & 0o100) !== 0,
    });
    if (entry === null) return;
    await sink.begin(entry);
    if (size > 0) expect('body', size);
    else await sink.finish();
  }

  function expect(next: 'extension' | 'body', size: number): void {
    state = next;
    remaining = size;
    padding = (BLOCK - (size % BLOCK)) % BLOCK;
  }

  function end(): void {
    if (state !== 'trailer') throw badArchive('the archive is truncated');
  }

  return { push, end };
}

/** File or directory. Before ustar, a name with a trailing slash marked a directory. */
function typeOf(flag: string, name: string, size: number): 'file' | 'directory' {
  // "7" requests contiguous storage, which POSIX lets readers ignore.
  const isFile = (flag === '0' || flag === '7') && !(name.endsWith('/') && size === 0);
  if (isFile) return 'file';
  if (flag !== '0' && flag !== '7' && flag !== '5') {
    throw badArchive(
      `entry ${quoteName(name)} is ${REFUSED_TYPES[flag] ?? 'neither a file nor a directory'}`,
    );
  }
  if (size > 0) throw badArchive(`directory ${quoteName(name)} has content`);
  return 'directory';
}
