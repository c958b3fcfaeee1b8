// Hostile uploads, each with the code it must be refused with. Reused by the acceptance tests over HTTP.
import { hostileArchives } from './corpus-archives.ts';
import { hostileManifests } from './corpus-manifests.ts';
import { hostileTransfers } from './corpus-transfers.ts';

/** An upload that must be refused. */
export interface HostileUpload {
  name: string;
  bytes: () => Promise<Buffer>;
  code: 38 | 104 | 125 | 126 | 134 | 135;
  /** Request headers in lower case; without content-length it is chunked. */
  headers?: Record<string, string>;
  /** Not transferable over HTTP: for tests that call the receiver. */
  inProcessOnly?: true;
}

/** Limits for the entries about sizes; a server under test must use them. */
export const CORPUS_LIMITS = {
  maxBundleBytes: 4 * 1024 ** 2,
  maxUnpackedBytes: 16 * 1024 ** 2,
  maxEntries: 2000,
  maxPathBytes: 1024,
  maxDepth: 48,
  maxManifestBytes: 10 * 1024 ** 2,
  diskReserve: 0,
} as const;

/** Its bytes are made once: bombs take long to compress. */
function madeOnce(upload: HostileUpload): HostileUpload {
  let made: Promise<Buffer> | null = null;
  return { ...upload, bytes: () => (made ??= upload.bytes()) };
}

export const corpus = [...hostileArchives, ...hostileManifests, ...hostileTransfers].map(madeOnce);
