// With an S3 store: the files of a deploy, unpacked when this server serves or runs them.
import { errors } from '@pressroom/api/contract';
import type { ArchiveLimits } from '../../bundles/archive/index.ts';
import { extractBundle } from '../../bundles/archive/index.ts';
import { findBundle } from '../../bundles/store.ts';
import type { ContentRow } from '../../content/store.ts';
import type { BlobStore, SiteArchives } from '../../platform/blobs/blob-store.ts';
import type { Executor } from '../../platform/database/storage.ts';
import type { ApplicationEngine } from '../../runtime/kinds/index.ts';
import type { Deployed } from '../../runtime/launch-record.ts';
import type { Launcher } from '../../runtime/sandbox/launcher.ts';
import { installPackages } from '../install-packages.ts';
import { unpackRendered } from './rendered-archive.ts';
import type { HeldSite, UnpackedSites } from './unpacked-sites.ts';

/** The active deploy, or a draft. */
export type ServedFiles = Pick<ContentRow, 'guid' | 'site' | 'bundle_id' | 'rendering_id'>;

export interface OpenDeployed {
  /** Files to serve. @throws ApiError 4, 1 with status 503 */
  served(deployed: ServedFiles): Promise<HeldSite>;
  /** Files to run. @throws ApiError 4, 1 with status 503, or why packages do not install */
  run(
    deployed: Deployed,
    engine: ApplicationEngine,
    print: (line: string) => void,
    signal: AbortSignal,
  ): Promise<HeldSite>;
}

export interface OpenDeployedOptions {
  readonly sites: UnpackedSites;
  readonly blobs: BlobStore;
  readonly archives: SiteArchives;
  readonly db: Executor;
  readonly limits: ArchiveLimits;
  readonly launcher: () => Launcher;
}

export function createOpenDeployed(options: OpenDeployedOptions): OpenDeployed {
  const { sites, blobs, archives, db, limits, launcher } = options;

  async function extract(bundleId: number, directory: string, signal?: AbortSignal): Promise<number> {
    const bundle = await findBundle(db, bundleId);
    if (!bundle) throw errors.notFound({ message: 'the bundle of this deploy was deleted' });
    const file = async () => (await blobs.open(bundle)).stream;
    const { bytes } = await extractBundle({ file, directory, limits, signal });
    return bytes;
  }

  return {
    served({ guid, site, bundle_id, rendering_id }) {
      return sites.hold(guid, site ?? '', async (directory) => {
        if (rendering_id === null) return extract(bundle_id ?? 0, directory);
        return unpackRendered((await archives.open(guid, site ?? '')).stream, directory);
      });
    },
    run({ content, bundleId, site, launch }, engine, print, signal) {
      const fill = async (directory: string) => {
        print('Unpacking the bundle...');
        const bytes = await extract(bundleId, directory, signal);
        if (engine.install !== undefined) {
          const whose = { contentGuid: content.guid, runAs: content.run_as };
          await launcher().give(directory, content.run_as, content.guid);
          await installPackages(launcher(), engine, {
            ...whose,
            image: launch.environment.image,
            directory,
            print,
            signal,
          });
        }
        return bytes;
      };
      return sites.hold(content.guid, site, fill, signal);
    },
  };
}
