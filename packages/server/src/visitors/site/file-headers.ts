// Headers of a site's files: type, length, what browsers revalidate by, ranges.
import { extname } from 'node:path';
import { contentType } from 'mime-types';
import type { ByteRange } from './conditions.ts';
import type { KnownFile } from './site-cache.ts';
import type { OpenedFile } from './site-files.ts';

/** Maximum bytes of a body that is written in one chunk with its headers, without copying. */
const MAX_TEXT_BYTES = 12 * 1024;

/** What all responses with a file share. @param maxBody bytes up to which it is read */
export async function describe(
  { handle, stats, realPath }: OpenedFile,
  version: string,
  maxBody: number,
): Promise<KnownFile> {
  const body = stats.size <= maxBody ? await handle.readFile() : null;
  const text = body !== null && body.length <= MAX_TEXT_BYTES ? body.toString('latin1') : null;
  const size = body?.length ?? stats.size;
  const modifiedSeconds = Math.floor(stats.mtimeMs / 1000);
  const lastModified = new Date(modifiedSeconds * 1000).toUTCString();
  // The same on every server that has unpacked this version, at any time.
  const etag = `"${encodeURIComponent(version)}-${size.toString(36)}"`;
  const type = contentType(extname(realPath)) || 'application/octet-stream';
  const isPage = /^(?:text\/html|application\/xhtml\+xml)\b/.test(type);
  const headers = ['Content-Type', type, 'Content-Length', String(size), ...validators(etag, lastModified)];
  return { realPath, body, text, size, etag, lastModified, modifiedSeconds, isPage, headers };
}

function validators(etag: string, lastModified: string): string[] {
  return [
    'ETag',
    etag,
    'Last-Modified',
    lastModified,
    // Browsers revalidate each time: after a redeploy nobody may see old results.
    'Cache-Control',
    'no-cache',
    'Accept-Ranges',
    'bytes',
    'X-Content-Type-Options',
    'nosniff',
  ];
}

/** Of a response 200 or 206. */
export function responseHeaders(
  file: KnownFile,
  range: ByteRange | null,
  extra: Record<string, string> | undefined,
): string[] {
  if (range === null && extra === undefined) return file.headers;
  const headers = [...file.headers];
  if (range !== null) {
    headers[3] = String(range.end - range.start);
    headers.push('Content-Range', `bytes ${range.start}-${range.end - 1}/${file.size}`);
  }
  return headers.concat(flat(extra));
}

/** Of a response 304, 412 or 416. */
export function bodilessHeaders(
  file: KnownFile,
  status: number,
  extra: Record<string, string> | undefined,
): string[] {
  const headers = [...validators(file.etag, file.lastModified), ...flat(extra)];
  if (status !== 304) headers.push('Content-Length', '0');
  if (status === 416) headers.push('Content-Range', `bytes */${file.size}`);
  return headers;
}

/** Names and values alternating, for writeHead. */
export function flat(headers: Record<string, string> = {}): string[] {
  return Object.entries(headers).flat();
}
