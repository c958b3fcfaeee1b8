// Variants below a content address: `_variant/KEY/` is the document with that set of values.
import { errors } from '@pressroom/api/contract';
import { contentRole } from '../content/policy.ts';
import { findGrantedRole, type ContentRow } from '../content/store.ts';
import type { ServedFiles } from '../deploys/sites/open-deployed.ts';
import type { Executor } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { seesVariant } from '../variants/policy.ts';
import { findVariant, type VariantRow } from '../variants/store.ts';

export interface VariantAt {
  readonly variant: VariantRow;
  /** `/_variant/KEY` */
  readonly prefix: string;
  /** Path after it; empty without the slash. */
  readonly rest: string;
}

const VARIANT = /^(\/_variant\/([A-Za-z0-9]{16}))(\/.*)?$/;

/** Null if the path names none: then it is a file of the content. */
export async function findVariantAt(
  db: Executor,
  content: ContentRow,
  path: string,
  now: number,
): Promise<VariantAt | null> {
  const [, prefix, key, rest = ''] = VARIANT.exec(path) ?? [];
  if (prefix === undefined || key === undefined) return null;
  const variant = await findVariant(db, key);
  const isThere = variant?.content_guid === content.guid && (variant.expires_time ?? Infinity) > now;
  return isThere ? { variant, prefix, rest } : null;
}

/** Whether a path may name a variant that not all visitors of the content see. */
export function isVariantPath(path: string): boolean {
  return VARIANT.test(path);
}

/** @throws ApiError 19, 24 */
export async function requireVariantVisitor(
  db: Executor,
  content: ContentRow,
  variant: VariantRow,
  caller: Caller | null,
): Promise<void> {
  if (variant.visibility === 'public') return;
  if (!caller) throw errors.authenticationRequired();
  const role = contentRole(content, caller, await findGrantedRole(db, content.guid, caller.guid));
  if (!seesVariant(variant, role, caller)) throw errors.accessDenied();
}

/** The files to serve; null before its first rendering. */
export function filesOfVariant({
  content_guid,
  site,
  bundle_id,
  rendering_id,
}: VariantRow): ServedFiles | null {
  return site === null ? null : { guid: content_guid, site, bundle_id, rendering_id };
}
