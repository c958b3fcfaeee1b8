// What differs between two bundles, in files and lines, as somebody may read it.
import type { Client } from '@pressroom/api/client';
import { type ArchiveChanges, compareArchives } from '@pressroom/api/publish';
import PQueue from 'p-queue';

/** Bytes of an archive that is read. */
export const LARGEST_ARCHIVE = 50_000_000;
/** Archives are held in memory: no more than these at a time. */
const reading = new PQueue({ concurrency: 1 });

/** Null where one of them is too large. @throws what the client throws */
export async function readChanges(
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
  guid: string,
  before: string,
  after: string,
): Promise<ArchiveChanges | null> {
  const ids = { before, after };
  for await (const { id, size } of client.each.getBundles({ guid }, { signal }))
    if ((id === before || id === after) && (size ?? 0) > LARGEST_ARCHIVE) return null;
  const open = async (which: keyof typeof ids) =>
    (await client.downloadBundle({ guid, id: ids[which] }, { signal })).stream;
  return reading.add(() => compareArchives(open, { signal }));
}
