// The body of a request, unless it is too long.
import type { IncomingMessage } from 'node:http';

/** @param limit bytes. Null for a longer body. */
export async function readLimited(request: IncomingMessage, limit: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
