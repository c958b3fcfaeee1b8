// The body of a request, unless it is too long.
import type { IncomingMessage } from 'node:http';

/** @param limit bytes. Null for a longer body. */
export async function readLimited(request: IncomingMessage, limit: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Not closed with the loop: who sends too much is told so.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) {
      request.resume();
      return null;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
