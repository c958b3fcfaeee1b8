// The text of an answer from outside, up to a limit: who sends it may never end.

/** Null for one of more bytes than `limit`; the rest of it is not read. */
export async function readLimited({ body }: Response, limit: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > limit) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
