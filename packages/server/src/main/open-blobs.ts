// Opens the configured store of bundles.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import { createDirectoryBlobStore } from '../platform/blobs/directory-blob-store.ts';
import type { Objects } from '../platform/blobs/s3/objects.ts';
import type { S3BlobStore } from '../platform/blobs/s3/s3-blob-store.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { claimBucket, requireClaimable } from './claim-bucket.ts';
import type { Config } from './config/settings.ts';

export interface OpenedBlobs {
  readonly blobs: BlobStore;
  /** Marks a bucket as that of these servers. @throws an Error that names the setting if the bundles are elsewhere */
  claim(hasBundles: () => Promise<boolean>): Promise<void>;
  /** Null for a directory. */
  readonly bucket: Objects | null;
}

/**
 * @param own begins the names of partial uploads, which tells whose they are.
 * @param stack closes what is opened here.
 * @throws an Error that names the setting, if a bucket cannot be used.
 */
export async function openBlobs(
  { config, secrets, own, log }: { config: Config; secrets: Secrets; own?: string; log: Logger },
  stack: Pick<AsyncDisposableStack, 'use'>,
): Promise<OpenedBlobs> {
  if (config['Storage.Type'] === 's3') {
    const store = stack.use(await openS3(config, log));
    await requireClaimable(store.objects, secrets, config);
    return {
      blobs: store,
      bucket: store.objects,
      claim: (hasBundles) =>
        claimBucket(
          store.objects,
          secrets,
          config,
          async () => (await hasBundles()) && !(await store.hasSome()),
        ),
    };
  }
  const directory = join(resolve(config['Server.DataDir']), 'bundles');
  return {
    blobs: createDirectoryBlobStore(directory, own),
    bucket: null,
    async claim(hasBundles) {
      // A database file lies beside its bundles.
      if (config['Database.URL'] === '' || existsSync(directory) || !(await hasBundles())) return;
      throw new Error(`${missingDirectory(directory)}. If the bundles are lost, make it`);
    },
  };
}

export function missingDirectory(directory: string): string {
  return `Storage.Type or Server.DataDir: the database names bundles, but there is no ${directory}: see that both settings are those of the other servers, or copy the directory there`;
}

/** @throws an Error that names the setting. */
export async function openS3(config: Config, log: Logger): Promise<S3BlobStore> {
  // Loading the client takes longer than a start without it.
  const { openS3BlobStore } = await import('../platform/blobs/s3/s3-blob-store.ts');
  const options = {
    bucket: config['Storage.Bucket'],
    region: config['Storage.Region'],
    endpoint: config['Storage.Endpoint'],
    pathStyle: config['Storage.PathStyle'],
    prefix: config['Storage.Prefix'],
    keyId: config['Storage.KeyID'],
    secret: config['Storage.Secret'],
    ca: config['Storage.CA'],
    timeout: config['Storage.Timeout'] * 1000,
    largest: config['Applications.MaxBundleSize'],
  };
  return openS3BlobStore(options, log);
}
