// Conditional and range requests (RFC 9110, sections 13 and 14).
import type { IncomingHttpHeaders } from 'node:http';
import type { KnownFile } from './site-cache.ts';

/** Bytes `start` up to, not including, `end`. */
export interface ByteRange {
  start: number;
  end: number;
}

/** How to respond: fully, partially, or without a body. */
export type Verdict = 200 | 304 | 412 | 416 | ByteRange;

type Validators = Pick<KnownFile, 'etag' | 'modifiedSeconds' | 'lastModified' | 'size'>;

/** Evaluates the request's headers; `ranges` is false for HEAD, where Range has no meaning. */
export function judge(headers: IncomingHttpHeaders, file: Validators, ranges: boolean): Verdict {
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined) {
    if (!listsTag(ifMatch, file.etag, true)) return 412;
  } else if (isBefore(headers['if-unmodified-since'], file)) {
    return 412;
  }
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) {
    if (listsTag(ifNoneMatch, file.etag, false)) return 304;
  } else {
    const since = headers['if-modified-since'];
    // Not for later dates: a draft that went live may be older than what it replaced.
    if (since !== undefined && seconds(since) === file.modifiedSeconds) return 304;
  }
  const range = headers.range;
  if (range === undefined || !ranges || !holdsIfRange(headers['if-range'], file)) return 200;
  return readRange(range, file.size);
}

/**
 * A single byte range. Several ranges, other units and malformed ones are ignored, as RFC 9110 (section 14.2) permits:
 * the client gets the whole file.
 */
function readRange(header: string, size: number): 200 | 416 | ByteRange {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header.replaceAll(/[ \t]/g, ''));
  const first = match?.[1] ?? '';
  const last = match?.[2] ?? '';
  if (first === '' && last === '') return 200;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 416 : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 200;
  if (start >= size) return 416;
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

/** If-Range must identify exactly this version: a strong tag, or the date that was sent. */
function holdsIfRange(value: string | string[] | undefined, file: Validators): boolean {
  return value === undefined || value === file.etag || value === file.lastModified;
}

function listsTag(header: string, etag: string, strong: boolean): boolean {
  if (header.trim() === '*') return true;
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => tag === etag || (!strong && tag.startsWith('W/') && tag.slice(2) === etag));
}

function isBefore(date: string | undefined, file: Validators): boolean {
  return date !== undefined && seconds(date) < file.modifiedSeconds;
}

/** NaN for an invalid date: every comparison is false. */
function seconds(date: string): number {
  return Math.floor(Date.parse(date) / 1000);
}
