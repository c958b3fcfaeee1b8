// Reads an external response as text, up to a limit: it may be endless.
import { collectBytes } from '@pressroom/api/contract';

/** Null if it has more bytes than `limit`; the rest is not read. */
export async function readLimited({ body }: Response, limit: number): Promise<string | null> {
  return (await collectBytes(body ?? [], limit))?.toString() ?? null;
}
