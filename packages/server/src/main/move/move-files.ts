// Copies bundles, rendered documents and logs of a data directory to a bucket: existing objects are skipped, so that an
// interrupted copy can be resumed.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { allBundleArchives } from '../../bundles/store.ts';
import { renderedSites } from '../../content/store.ts';
import { renderedDrafts } from '../../deploys/drafts/store.ts';
import { packRendered } from '../../deploys/sites/rendered-archive.ts';
import { partsOf } from '../../jobs/log-file.ts';
import { endedJobs } from '../../jobs/store.ts';
import type { Objects } from '../../platform/blobs/s3/objects.ts';
import { keyOfBundle, keyOfLog, keyOfSite } from '../../platform/blobs/s3/s3-blob-store.ts';
import type { Executor } from '../../platform/database/storage.ts';
import { variantSites } from '../../variants/store.ts';

export interface MovedFiles {
  readonly bundles: Count;
  readonly rendered: Count;
  /** Of ended processes. */
  readonly logs: Count;
  /** In the database, but neither in the directory nor in the bucket. */
  readonly missing: readonly string[];
  /** Archives that differ from their upload: they are not copied. */
  readonly damaged: readonly string[];
}

export interface Count {
  readonly copied: number;
  readonly bytes: number;
  /** Already in the bucket. */
  readonly known: number;
}

export interface MoveFilesOptions {
  readonly db: Executor;
  readonly dataDir: string;
  readonly objects: Objects;
  /** Whether objects in the bucket are read completely and compared. */
  readonly check: boolean;
  /** Called for each copied file. */
  readonly onCopied?: (name: string) => void;
}

/** Verifies each file against the checksum in the database, and the store verifies its parts. */
export async function moveFiles(options: MoveFilesOptions): Promise<MovedFiles> {
  const { db, objects, check, onCopied = () => undefined } = options;
  const dataDir = resolve(options.dataDir);
  const missing: string[] = [];
  const damaged: string[] = [];
  const bundles = { copied: 0, bytes: 0, known: 0 };
  for (const bundle of await allBundleArchives(db)) {
    const [key, name] = [keyOfBundle(bundle), `bundle ${bundle.id}`];
    const facts = await objects.facts(key);
    // An archive with a generated name was uploaded to the bucket.
    const isThere = facts !== null && facts.size === bundle.size && (facts.md5 ?? bundle.md5) === bundle.md5;
    if (isThere && (!check || (await md5Of((await objects.open(key)).stream)) === bundle.md5)) {
      bundles.known += 1;
      continue;
    }
    const file = join(dataDir, 'bundles', `${bundle.id}.tar.gz`);
    if (bundle.blob !== null || !existsSync(file)) {
      (isThere ? damaged : missing).push(name);
      continue;
    }
    if ((await md5Of(createReadStream(file))) !== bundle.md5) {
      damaged.push(name);
      continue;
    }
    await objects.put(key, createReadStream(file, { highWaterMark: 2 ** 20 }), bundle.md5);
    bundles.copied += 1;
    bundles.bytes += (await stat(file)).size;
    onCopied(name);
  }
  const rendered = { copied: 0, bytes: 0, known: 0 };
  const shown = [...(await variantSites(db))].flatMap(([guid, sites]) =>
    sites.map((site) => ({ guid, site })),
  );
  for (const { guid, site } of [...(await renderedSites(db)), ...(await renderedDrafts(db)), ...shown]) {
    const key = keyOfSite(guid, site);
    if ((await objects.facts(key)) !== null) {
      rendered.known += 1;
      continue;
    }
    const directory = join(dataDir, 'content', guid, site);
    const name = `rendered document of content ${guid}`;
    if (!existsSync(directory)) {
      missing.push(name);
      continue;
    }
    await objects.put(key, packRendered(directory));
    rendered.copied += 1;
    rendered.bytes += (await objects.facts(key))?.size ?? 0;
    onCopied(name);
  }
  return { bundles, rendered, logs: await moveLogs(options), missing, damaged };
}

async function moveLogs({ db, dataDir, objects, check, onCopied }: MoveFilesOptions): Promise<Count> {
  const logs = { copied: 0, bytes: 0, known: 0 };
  for (const { content_guid: guid, key: job } of await endedJobs(db))
    for (const [name, file] of partsOf(job, join(dataDir, 'logs', guid, `${job}.log`))) {
      if (!existsSync(file)) continue;
      const key = keyOfLog(guid, name);
      const { size } = await stat(file);
      const isThere = (await objects.facts(key))?.size === size;
      const isSame = async () =>
        (await md5Of((await objects.open(key)).stream)) === (await md5Of(createReadStream(file)));
      if (isThere && (!check || (await isSame()))) {
        logs.known += 1;
        continue;
      }
      await objects.put(key, createReadStream(file));
      logs.copied += 1;
      logs.bytes += size;
      onCopied?.(`log ${name} of content ${guid}`);
    }
  return logs;
}

async function md5Of(content: NodeJS.ReadableStream): Promise<string> {
  const hash = createHash('md5');
  await pipeline(content, hash);
  return hash.digest('hex');
}
