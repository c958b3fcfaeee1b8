// Commands on bundles: upload, deletion, retention; and the audited download.
import type { Readable } from 'node:stream';
import { errors, type Manifest } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import { findOpenCanary } from '../canaries/store.ts';
import { loadContent } from '../content/commands.ts';
import { actsForContent } from '../content/content-key-rights.ts';
import type { ContentAction } from '../content/policy.ts';
import { aboutContent, findContent, type ContentRow } from '../content/store.ts';
import { recordWithdrawn } from '../deploys/approvals/approvals.ts';
import { findRelease, pendingReleases } from '../deploys/approvals/store.ts';
import type { DeployService } from '../deploys/deploy-service.ts';
import { findDraft, listDrafts } from '../deploys/drafts/store.ts';
import type { OldVersions } from '../deploys/sites/old-versions.ts';
import { recordReleaseEvent } from '../events/release-event.ts';
import type { Config } from '../main/config/settings.ts';
import { callerNow } from '../people/caller-now.ts';
import type { BlobStore, NewBlob } from '../platform/blobs/blob-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { openTasksOf } from '../tasks/store.ts';
import { DEFAULT_ARCHIVE_LIMITS, receiveBundle, type ArchiveLimits } from './archive/index.ts';
import type { Commit, ReportedCommit } from './commit.ts';
import { findBundle, insertBundle, listBundles, removeBundle, type BundleRow } from './store.ts';

export interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly blobs: BlobStore;
  readonly oldVersions: OldVersions;
  readonly deploys: Pick<DeployService, 'removeDraftSite'>;
  readonly contentChanged: (guid: string) => void;
}

export interface Upload {
  readonly source: Readable;
  /** Bytes announced by the client, if any. */
  readonly declaredLength?: number | undefined;
  readonly checksum?: string | undefined;
  /** The commit it was built from; content managed by git requires one. */
  readonly commit?: Commit;
  /** The commit that the client reports, once the request was read. */
  readonly reported?: () => Promise<ReportedCommit | null>;
  readonly signal?: AbortSignal;
  /** The caller as of the end of the upload. @throws ApiError if its key was revoked or its session ended */
  readonly again?: () => Promise<Caller>;
}

export function archiveLimits(config: Config): ArchiveLimits {
  return {
    ...DEFAULT_ARCHIVE_LIMITS,
    maxBundleBytes: config['Applications.MaxBundleSize'],
    maxUnpackedBytes: config['Applications.MaxUnpackedSize'],
    maxEntries: config['Applications.MaxBundleEntries'],
    diskReserve: config['Applications.DiskReserve'],
  };
}

/** @throws ApiError 24, 38, 50, 104, 125, 126, 134, 135 for the archive, 144 for content managed by git. */
export async function uploadBundle(
  parts: Omit<Parts, 'oldVersions' | 'deploys' | 'contentChanged'>,
  caller: Caller,
  guid: string,
  upload: Upload,
): Promise<BundleRow> {
  const { storage, blobs, clock, config, audit } = parts;
  const { again = () => Promise.resolve(caller) } = upload;
  const isOfGit = upload.commit !== undefined;
  await uploadTarget(storage.db, guid, caller, isOfGit);
  const reserved = await blobs.reserve();
  const { manifest, md5, sha1, size } = await receiveBundle({
    ...upload,
    file: reserved.target,
    limits: archiveLimits(config),
  });
  let stored: BundleRow | null = null;
  try {
    // Rights and content may have changed during the upload.
    const commit = upload.commit ?? (await upload.reported?.()) ?? null;
    const latest = await again();
    return await storage.write(async (tx) => {
      const content = await uploadTarget(tx, guid, await callerNow(tx, latest), isOfGit);
      const bundle = await insertBundle(tx, {
        content_guid: content.guid,
        created_time: clock.now(),
        created_by: caller.guid,
        size,
        md5,
        sha1,
        manifest: JSON.stringify(kept(manifest)),
        blob: reserved.blob,
        r_version: null,
        py_version: null,
        source: commit && JSON.stringify(commit),
        of_content: actsForContent(caller) ? 1 : 0,
      });
      stored = bundle;
      await blobs.commit(reserved, bundle.id);
      await audit(
        tx,
        caller,
        'upload_bundle',
        `Uploaded bundle ${bundle.id} to ${content.name} (${content.guid})${upload.commit === undefined ? '' : `, commit ${upload.commit.sha}`}`,
        { content: content.guid, bundle: bundle.id },
      );
      return bundle;
    }, aboutContent(guid));
  } catch (error) {
    if (stored === null) await blobs.discard(reserved);
    // Without the database it is unknown whether a bundle uses it: a later sweep decides.
    else await dropUnknown(parts, reserved, stored).catch(() => undefined);
    throw error;
  }
}

/**
 * Removes the archive of a failed upload. It stays if only the response to its commit was lost, and so does another
 * bundle's archive: SQLite reuses the number of a bundle that was rolled back.
 */
async function dropUnknown(
  { storage, blobs }: Pick<Parts, 'storage' | 'blobs'>,
  reserved: NewBlob,
  stored: BundleRow,
): Promise<void> {
  const known = await storage.write(async (tx) => {
    const found = await findBundle(tx, stored.id);
    if (!found && stored.blob === null) await blobs.remove(stored);
    return found;
  }, aboutContent(stored.content_guid));
  if (known?.created_time !== stored.created_time) await blobs.discard(reserved);
}

async function uploadTarget(
  db: Executor,
  guid: string,
  caller: Caller,
  isOfGit: boolean,
): Promise<ContentRow> {
  const { content } = await loadContent(db, guid, caller, 'uploadBundle');
  if (content.git_managed && !isOfGit) throw errors.uploadBlockedByGit();
  // The repository was disconnected during the fetch.
  if (!content.git_managed && isOfGit) throw errors.notManagedByGit();
  return content;
}

/** The part of a manifest that the server needs later; the list of files can be as long as the archive has entries. */
function kept(manifest: Manifest): Manifest {
  return { ...manifest, files: null };
}

/**
 * Removes the oldest bundles beyond the retention limit, but never the active one, a draft, one that is being deployed
 * or one that waits for approval.
 */
export async function enforceRetention(
  {
    storage,
    blobs,
    config,
    audit,
    clock,
    oldVersions,
  }: Pick<Parts, 'config' | 'storage' | 'audit' | 'clock' | 'blobs' | 'oldVersions'>,
  { guid }: Pick<ContentRow, 'guid'>,
  caller: Caller,
) {
  const keep = config['Applications.BundleRetention'];
  if (keep === 0) return;
  const dropped = await storage.write(async (tx) => {
    // Read in this transaction: a deploy may have finished in the meantime.
    const content = await findContent(tx, guid);
    if (!content) return [];
    const drafts = await listDrafts(tx, content.guid, clock.now());
    const releases = await pendingReleases(tx, content.guid);
    const { rows } = await listBundles(tx, content.guid);
    const deploying = (await openTasksOf(tx, content.guid)).map((task) => task.bundle_id);
    const old = rows.slice(0, Math.max(0, rows.length - keep));
    const canary = (await findOpenCanary(tx, content.guid))?.bundle_id ?? null;
    const inUse = [
      content.bundle_id,
      canary,
      ...deploying,
      ...[...drafts, ...releases].map((row) => row.bundle_id),
    ];
    const removable = old.filter((row) => !inUse.includes(row.id));
    for (const row of removable) {
      await removeBundle(tx, row.id);
      await audit(
        tx,
        caller,
        'remove_bundle',
        `Retention removed bundle ${row.id} of ${content.name} (${content.guid})`,
        { content: content.guid, bundle: row.id },
      );
    }
    return removable;
  });
  for (const row of dropped) {
    await blobs.remove(row);
    await oldVersions.remove(row);
  }
}

/**
 * The bundle and its content, if the caller has the right.
 * @param contentGuid the content item that the path names, which must own the bundle
 */
export async function loadBundle(
  db: Executor,
  id: string,
  caller: Caller,
  action: ContentAction,
  contentGuid?: string,
): Promise<{ bundle: BundleRow; content: ContentRow }> {
  const bundle = await findBundle(db, Number(id));
  if (!bundle || (contentGuid !== undefined && bundle.content_guid !== contentGuid)) throw errors.notFound();
  const { content } = await loadContent(db, bundle.content_guid, caller, action);
  return { bundle, content };
}

/**
 * Removes the bundle, its draft and its release.
 * @throws ApiError 75 for the active bundle, 100 for one that is being deployed or a canary.
 */
export async function deleteBundle(
  parts: Parts,
  caller: Caller,
  id: string,
  contentGuid?: string,
): Promise<void> {
  const { storage, blobs, audit, oldVersions, deploys, contentChanged } = parts;
  const { removed, draft } = await storage.write(async (tx) => {
    const { bundle, content } = await loadBundle(tx, id, caller, 'deleteBundle', contentGuid);
    if (content.bundle_id === bundle.id) throw errors.bundleActive();
    const open = [...(await openTasksOf(tx, content.guid)), await findOpenCanary(tx, content.guid)];
    if (open.some((one) => one?.bundle_id === bundle.id)) throw errors.itemBusy();
    const ofBundle = await findDraft(tx, bundle.id);
    const release = await findRelease(tx, bundle.id);
    await removeBundle(tx, bundle.id);
    const about = { content_guid: content.guid, bundle_id: bundle.id, user_guid: caller.guid };
    const reason = { code: 'bundle_deleted', text: 'its bundle was deleted' } as const;
    if (ofBundle) await recordReleaseEvent(tx, parts, 'draft.ended', { ...about, reason });
    if (release?.released_time === null) await recordWithdrawn(tx, parts, caller, [release], reason);
    await audit(
      tx,
      caller,
      'remove_bundle',
      `Deleted bundle ${bundle.id} of ${content.name} (${content.guid})`,
      { content: content.guid, bundle: bundle.id },
    );
    return { removed: bundle, draft: ofBundle };
  });
  if (draft) {
    contentChanged(draft.content_guid);
    await deploys.removeDraftSite(draft.content_guid, draft.site);
  }
  await blobs.remove(removed);
  await oldVersions.remove(removed);
}
