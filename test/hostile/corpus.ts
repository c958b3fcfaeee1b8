// Hostile uploads, each with the code it must be refused with. Reused by the acceptance tests over HTTP.
import { hostileArchives } from './corpus-archives.ts';
import { hostileManifests } from './corpus-manifests.ts';
import { hostileTransfers } from './corpus-transfers.ts';

/** One upload that has to be refused. */
export interface HostileUpload {
  name: string;
  bytes: () => Promise<Buffer>;
  code: 38 | 104 | 125 | 126 | 134 | 135;
  /** Request headers in lower case that belong to it; without content-length it goes chunked. */
  headers?: Record<string, string>;
  /** HTTP itself does not let such a request through whole: for tests that call the receiver. */
  inProcessOnly?: true;
}

/** The limits that the entries about sizes were made for; a server under test has to be set to them. */
export const CORPUS_LIMITS = {
  maxBundleBytes: 4 * 1024 ** 2,
  maxUnpackedBytes: 16 * 1024 ** 2,
  maxEntries: 2000,
  maxPathBytes: 1024,
  maxDepth: 48,
  maxManifestBytes: 10 * 1024 ** 2,
  diskReserve: 0,
} as const;

export const corpus: HostileUpload[] = [...hostileArchives, ...hostileManifests, ...hostileTransfers];
