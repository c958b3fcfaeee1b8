// The files of bundles that are not active, extracted when somebody opens them and kept until the next deploy.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { type ArchiveLimits, extractBundle } from '../bundles/archive/index.ts';
import type { BundleRow } from '../bundles/store.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';

export interface OldVersions {
  /** The directory of a bundle's files. @throws ApiError 134, 135 */
  open(bundle: Pick<BundleRow, 'id' | 'content_guid'>): Promise<string>;
  /** Removes what was extracted of a bundle. */
  remove(bundle: Pick<BundleRow, 'id' | 'content_guid'>): Promise<void>;
}

export interface OldVersionsOptions {
  /** Of all deployed content: a deploy removes what it does not use, this with it. */
  readonly directory: string;
  /** Where archives are extracted to; on the same disk. */
  readonly workDirectory: string;
  readonly blobs: BlobStore;
  readonly limits: ArchiveLimits;
  readonly removeTree: (path: string) => Promise<void>;
}

const AT_ONCE = 2;

export function createOldVersions(options: OldVersionsOptions): OldVersions {
  const { directory, workDirectory, blobs, limits, removeTree } = options;
  const limit = pLimit(AT_ONCE);
  // Many first visitors extract once.
  const underWay = new Map<string, Promise<void>>();
  const rootOf = ({ id, content_guid }: Pick<BundleRow, 'id' | 'content_guid'>) =>
    join(directory, content_guid, `rev-${id}`);

  async function extract(id: number, contentGuid: string, root: string): Promise<void> {
    const work = join(workDirectory, `rev-${id}-${randomUUID()}`);
    await mkdir(workDirectory, { recursive: true, mode: 0o711 });
    await mkdir(join(directory, contentGuid), { recursive: true, mode: 0o711 });
    await extractBundle({ file: blobs.path(id), directory: work, limits });
    try {
      await rename(work, root);
    } catch (error) {
      await removeTree(work);
      // Another server of the same data was first.
      if (!existsSync(root)) throw error;
    }
  }

  return {
    async open(bundle) {
      const root = rootOf(bundle);
      if (existsSync(root)) return root;
      const known = underWay.get(root);
      const work = known ?? limit(() => extract(bundle.id, bundle.content_guid, root));
      if (!known) {
        const forget = () => underWay.delete(root);
        underWay.set(root, work);
        work.then(forget, forget);
      }
      await work;
      return root;
    },
    remove: (bundle) => removeTree(rootOf(bundle)),
  };
}
