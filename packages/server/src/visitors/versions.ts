// Versions below a content address: `_rev12/` is bundle 12 as published; `_bundle12/` is any bundle and
// `_preview/name/` the draft of that preview, for collaborators.
import { errors, PREVIEW_NAME } from '@pressroom/api/contract';
import { findBundle, type BundleRow } from '../bundles/store.ts';
import { storedManifest } from '../bundles/stored-manifest.ts';
import { contentRole, requireContentRight } from '../content/policy.ts';
import { findGrantedRole, type ContentRow } from '../content/store.ts';
import { findDraft, findPreview, type DraftRow } from '../deploys/drafts/store.ts';
import type { Executor } from '../platform/database/storage.ts';
import { findEngine } from '../runtime/kinds/index.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { findHeld, type HeldRow } from '../variants/held-store.ts';

export interface Version {
  readonly bundle: BundleRow;
  readonly forCollaborators: boolean;
  /** Its draft; null if there is none. */
  readonly draft: DraftRow | null;
  /** `/_rev12` */
  readonly prefix: string;
  /** Path after it; empty without the slash. */
  readonly rest: string;
}

const VERSION = /^(\/_(rev|bundle)(\d{1,15}))(\/.*)?$/;
/** `_held/KEY/` is the held rendering of a variant. */
const HELD = /^(\/_held\/([A-Za-z0-9]{16}))(\/.*)?$/;
const PREVIEW = new RegExp(String.raw`^(/_preview/(${PREVIEW_NAME.slice(1, -1)}))(/.*)?$`);

/**
 * The version named by a path below a content address; null if there is none. A bundle of other content is none: then
 * it is a file of the content.
 */
export async function findVersion(
  db: Executor,
  content: ContentRow,
  path: string,
  now: number,
): Promise<Version | null> {
  const [, prefix, kind, id, rest = ''] = VERSION.exec(path) ?? [];
  if (prefix === undefined) return findPreviewed(db, content, path, now);
  const bundle = await findBundle(db, Number(id));
  if (bundle?.content_guid !== content.guid) return null;
  const forCollaborators = kind === 'bundle';
  const draft = forCollaborators ? await findDraft(db, bundle.id) : undefined;
  return { bundle, forCollaborators, draft: unended(draft, now), prefix, rest };
}

async function findPreviewed(
  db: Executor,
  content: ContentRow,
  path: string,
  now: number,
): Promise<Version | null> {
  const [, prefix, name, rest = ''] = PREVIEW.exec(path) ?? [];
  if (prefix === undefined || name === undefined) return null;
  const draft = unended(await findPreview(db, content.guid, name), now);
  const bundle = draft && (await findBundle(db, draft.bundle_id));
  return bundle ? { bundle, forCollaborators: true, draft, prefix, rest } : null;
}

export interface HeldAt {
  readonly held: HeldRow;
  readonly prefix: string;
  readonly rest: string;
}

/** Null if the path names none: then it is a file of the content. */
export async function findHeldAt(db: Executor, content: ContentRow, path: string): Promise<HeldAt | null> {
  const [, prefix, key, rest = ''] = HELD.exec(path) ?? [];
  if (prefix === undefined || key === undefined) return null;
  const held = await findHeld(db, key);
  return held?.content_guid === content.guid ? { held, prefix, rest } : null;
}

/** Whether a path below a content address may name something for collaborators only. */
export function isForCollaborators(path: string): boolean {
  return PREVIEW.test(path) || HELD.test(path) || VERSION.exec(path)?.[2] === 'bundle';
}

function unended(draft: DraftRow | undefined, now: number): DraftRow | null {
  return draft && draft.expires_time > now ? draft : null;
}

/**
 * Visitors may open earlier deploys, collaborators every bundle, including drafts.
 * @throws ApiError 4, 19, 24
 */
export async function requireVersion(
  db: Executor,
  content: ContentRow,
  { bundle, forCollaborators, draft }: Version,
  caller: Caller | null,
): Promise<void> {
  if (forCollaborators) await requireCollaborator(db, content, caller);
  else if (bundle.deployed_time === null) throw errors.notFound();
  if (bundle.id === content.bundle_id || draft) return;
  // The archive of applications and documents has the source, which is not for visitors.
  if (findEngine(storedManifest(bundle.manifest).appmode).kind !== 'files')
    throw errors.notFound({
      message: 'of content that runs or is rendered only the active bundle and drafts can be opened',
    });
}

export async function requireCollaborator(
  db: Executor,
  content: ContentRow,
  caller: Caller | null,
): Promise<void> {
  if (!caller) throw errors.authenticationRequired();
  const role = contentRole(content, caller, await findGrantedRole(db, content.guid, caller.guid));
  requireContentRight('openDraft', role, caller);
}
