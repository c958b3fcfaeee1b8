// Reads an external response as text, up to a limit: it may be endless.

/** Null if it has more bytes than `limit`; the rest is not read. */
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
