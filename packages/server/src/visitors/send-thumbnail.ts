// The thumbnail of a content item at the address current clients read: below the content, for whoever may see it.
import type { ServerResponse } from 'node:http';
import { findThumbnail } from '../content/thumbnails/store.ts';
import type { Executor } from '../platform/database/storage.ts';

export const THUMBNAIL_PATH = '/__thumbnail__';

/** 204 if there is none. */
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
