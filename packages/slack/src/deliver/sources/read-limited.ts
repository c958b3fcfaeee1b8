// Reads the body of a request, with a limit.
import type { IncomingMessage } from 'node:http';

/** @param limit in bytes. Null for a longer body. */
export async function readLimited(request: IncomingMessage, limit: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Kept open after the loop, to answer the refusal.
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
