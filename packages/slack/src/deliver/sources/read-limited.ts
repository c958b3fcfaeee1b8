// Reads the body of a request, with a limit.
import type { IncomingMessage } from 'node:http';
import { collectBytes } from '@pressroom/api/contract';

/** @param limit in bytes. Null for a longer body. */
export async function readLimited(request: IncomingMessage, limit: number): Promise<string | null> {
  // Kept open, to answer the refusal.
  const bytes = await collectBytes(
    request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>,
    limit,
  );
  if (bytes === null) request.resume();
  return bytes?.toString() ?? null;
}
