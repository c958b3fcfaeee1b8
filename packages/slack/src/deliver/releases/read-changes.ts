// Reads the differences of two bundles, in files and lines, with a person's rights.
import type { Client } from '@pressroom/api/client';
import { type ArchiveChanges, compareArchives } from '@pressroom/api/publish';
import PQueue from 'p-queue';

/** Maximum bytes of an archive. */
export const MAX_ARCHIVE_BYTES = 50_000_000;
/** Archives are held in memory: limits concurrency. */
const reading = new PQueue({ concurrency: 1 });

/** Null if one of them is too large. @throws errors of the client */
export async function readChanges(
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
  guid: string,
  before: string,
  after: string,
): Promise<ArchiveChanges | null> {
  const ids = { before, after };
  for await (const { id, size } of client.each.getBundles({ guid }, { signal }))
    if ((id === before || id === after) && (size ?? 0) > MAX_ARCHIVE_BYTES) return null;
  const open = async (which: keyof typeof ids) =>
    (await client.downloadBundle({ guid, id: ids[which] }, { signal })).stream;
  return reading.add(() => compareArchives(open, { signal }));
}
