// The picture of a content item where clients of today read it: beside the content, for who may see that.
import type { ServerResponse } from 'node:http';
import { findThumbnail } from '../content/thumbnails/store.ts';
import type { Executor } from '../platform/database/storage.ts';

export const THUMBNAIL_PATH = '/__thumbnail__';

/** 204 where it has none. */
export async function sendThumbnail(response: ServerResponse, db: Executor, guid: string): Promise<void> {
  const row = await findThumbnail(db, guid);
  if (!row) {
    response.writeHead(204).end();
    return;
  }
  const bytes = Buffer.from(row.data, 'base64');
  response
    .writeHead(200, {
      'Content-Type': row.type,
      'Content-Length': bytes.length,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'private, no-cache',
    })
    .end(bytes);
}
