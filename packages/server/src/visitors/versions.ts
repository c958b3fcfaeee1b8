// Versions behind a content address: `_rev12/` is what was published as bundle 12, `_bundle12/` any bundle, for collaborators.
import { errors } from '@pressroom/api/contract';
import { findBundle, type BundleRow } from '../bundles/store.ts';
import { storedManifest } from '../bundles/stored-manifest.ts';
import { contentRole } from '../content/policy.ts';
import { findGrantedRole, type ContentRow } from '../content/store.ts';
import type { Executor } from '../platform/database/storage.ts';
import { findEngine } from '../runtime/kinds/index.ts';
import type { Caller } from '../sign-in/authenticator.ts';

export interface Version {
  readonly bundle: BundleRow;
  readonly isDraft: boolean;
  /** `/_rev12` */
  readonly prefix: string;
  /** Path behind it; empty when it lacks even the slash. */
  readonly rest: string;
}

const VERSION = /^(\/_(rev|bundle)(\d{1,15}))(\/.*)?$/;

/**
 * The version that a path behind a content address names; null where it names none. A bundle of other content is none:
 * then it is a file of the content's own.
 */
export async function findVersion(db: Executor, content: ContentRow, path: string): Promise<Version | null> {
  const [, prefix, kind, id, rest = ''] = VERSION.exec(path) ?? [];
  if (prefix === undefined) return null;
  const bundle = await findBundle(db, Number(id));
  if (bundle?.content_guid !== content.guid) return null;
  return { bundle, isDraft: kind === 'bundle', prefix, rest };
}

/**
 * Visitors may open what was once published, collaborators every bundle: one that never was published is a draft.
 * @throws ApiError 4, 19, 24
 */
export async function requireVersion(
  db: Executor,
  content: ContentRow,
  { bundle, isDraft }: Version,
  caller: Caller | null,
): Promise<void> {
  if (isDraft) await requireCollaborator(db, content, caller);
  else if (bundle.deployed_time === null) throw errors.notFound();
  if (bundle.id === content.bundle_id) return;
  // Of what runs or is rendered the archive has the source: that is not for visitors.
  if (findEngine(storedManifest(bundle.manifest).appmode).kind !== 'files')
    throw errors.notFound({
      message: 'of content that runs or is rendered only the active bundle can be opened',
    });
}

async function requireCollaborator(db: Executor, content: ContentRow, caller: Caller | null): Promise<void> {
  if (!caller) throw errors.authenticationRequired();
  const role = contentRole(content, caller, await findGrantedRole(db, content.guid, caller.guid));
  if (role !== 'owner' && role !== 'editor') throw errors.accessDenied();
}
