// Files of inactive bundles, extracted when somebody opens them and kept until the next deploy.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { errors } from '@pressroom/api/contract';
import pLimit from 'p-limit';
import { type ArchiveLimits, extractBundle } from '../../bundles/archive/index.ts';
import type { BundleRow } from '../../bundles/store.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import { errnoOf } from '../../platform/errors.ts';
import type { HeldSite, UnpackedSites } from './unpacked-sites.ts';

export interface OldVersions {
  /** The directory of a bundle's files. @throws ApiError 4 for deleted content, 134, 135 */
  open(bundle: VersionOf): Promise<HeldSite>;
  /** Removes the extracted files of a bundle. */
  remove(bundle: Pick<BundleRow, 'id' | 'content_guid'>): Promise<void>;
}

type VersionOf = Pick<BundleRow, 'id' | 'content_guid' | 'blob'>;

export interface OldVersionsOptions {
  /** Directory of all deployed content: a deploy removes what it does not use, including this. */
  readonly directory: string;
  /** Where archives are extracted; on the same disk. */
  readonly workDirectory: string;
  readonly blobs: BlobStore;
  /** Null if directories stay until the next deploy. */
  readonly sites: UnpackedSites | null;
  readonly limits: ArchiveLimits;
  readonly removeTree: (path: string) => Promise<void>;
}

const AT_ONCE = 2;

export function createOldVersions(options: OldVersionsOptions): OldVersions {
  const { directory, workDirectory, blobs, sites, limits, removeTree } = options;
  const limit = pLimit(AT_ONCE);
  // Concurrent first visitors share one extraction.
  const underWay = new Map<string, Promise<void>>();
  const rootOf = ({ id, content_guid }: Pick<BundleRow, 'id' | 'content_guid'>) =>
    join(directory, content_guid, `rev-${id}`);

  const archiveOf = (bundle: VersionOf) => async () => (await blobs.open(bundle)).stream;

  async function extract(bundle: VersionOf, root: string): Promise<void> {
    const { id, content_guid: contentGuid } = bundle;
    const work = join(workDirectory, `rev-${id}-${randomUUID()}`);
    await mkdir(workDirectory, { recursive: true, mode: 0o711 });
    try {
      await mkdir(join(directory, contentGuid), { recursive: true, mode: 0o711 });
      await extractBundle({ file: archiveOf(bundle), directory: work, limits });
      await rename(work, root);
    } catch (error) {
      await removeTree(work);
      // Another server with the same data directory was faster.
      if (existsSync(root)) return;
      // The content was deleted, and its directory with it.
      throw errnoOf(error) === 'ENOENT' ? errors.notFound({ cause: error }) : error;
    }
  }

  return {
    async open(bundle) {
      const root = rootOf(bundle);
      if (sites !== null)
        return sites.hold(bundle.content_guid, `rev-${bundle.id}`, async (to) => {
          const { bytes } = await extractBundle({ file: archiveOf(bundle), directory: to, limits });
          return bytes;
        });
      const held = { root, [Symbol.dispose]: () => undefined };
      if (existsSync(root)) return held;
      const known = underWay.get(root);
      const work = known ?? limit(() => extract(bundle, root));
      if (!known) {
        const forget = () => underWay.delete(root);
        underWay.set(root, work);
        work.then(forget, forget);
      }
      await work;
      return held;
    },
    remove: (bundle) => removeTree(rootOf(bundle)),
  };
}
