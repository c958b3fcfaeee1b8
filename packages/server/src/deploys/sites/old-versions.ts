// Files of inactive bundles, extracted when somebody opens them.
import { join } from 'node:path';
import { errors } from '@pressroom/api/contract';
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
  readonly blobs: BlobStore;
  /** Anybody who may view content can open all of its earlier bundles: only some stay. */
  readonly sites: Pick<UnpackedSites, 'hold'>;
  readonly limits: ArchiveLimits;
  readonly removeTree: (path: string) => Promise<void>;
}

/** Whether a directory of a content item has the files of an inactive bundle. */
export const isOldVersion = (name: string): boolean => /^rev-\d+$/.test(name);

const nameOf = (id: number) => `rev-${id}`;

export function createOldVersions(options: OldVersionsOptions): OldVersions {
  const { directory, blobs, sites, limits, removeTree } = options;
  return {
    async open(bundle) {
      const file = async () => (await blobs.open(bundle)).stream;
      try {
        return await sites.hold(bundle.content_guid, nameOf(bundle.id), async (to) => {
          const { bytes } = await extractBundle({ file, directory: to, limits });
          return bytes;
        });
      } catch (error) {
        // The content was deleted, and its directory with it.
        throw errnoOf(error) === 'ENOENT' ? errors.notFound({ cause: error }) : error;
      }
    },
    remove: ({ id, content_guid }) => removeTree(join(directory, content_guid, nameOf(id))),
  };
}
