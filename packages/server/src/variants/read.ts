// Variants as their readers find them: the default one among them, which has no row of its own.
import { errors } from '@pressroom/api/contract';
import { loadContent, type Found } from '../content/commands.ts';
import { mayAct } from '../content/policy.ts';
import type { ContentRow } from '../content/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { listRenderings, type RenderingRow } from '../runtime/rendering-store.ts';
import { DEFAULT_VARIANT, schedulesOf, type ScheduleRow } from '../schedules/store.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { listHeld, type HeldRow } from './held-store.ts';
import { seesVariant } from './policy.ts';
import { findVariant, listVariants, type VariantRow } from './store.ts';

/** What the default variant is called in addresses. */
export const DEFAULT_KEY = 'default';

type Reading = { readonly storage: Storage; readonly clock: Clock };

export interface ReadVariant {
  readonly content: ContentRow;
  /** Null for the default one. */
  readonly variant: VariantRow | null;
  readonly schedule: ScheduleRow | undefined;
  /** The rendering of the default one; null for others, whose row has it. */
  readonly shown: RenderingRow | null;
  /** A rendering that is held, for who may open drafts. */
  readonly held: HeldRow | null;
}

/** The default one first. @throws ApiError 4, 19 */
export async function readVariants(
  { storage, clock }: Reading,
  caller: Caller,
  guid: string,
): Promise<ReadVariant[]> {
  const { content, role } = await loadContent(storage.db, guid, caller, 'getContent');
  if (content.rendering_id === null) return [];
  const schedules = await schedulesOf(storage.db, content.guid);
  const rows = await listVariants(storage.db, content.guid, clock.now());
  const seen = rows.filter((row) => seesVariant(row, role, caller));
  const held = mayAct('openDraft', role, caller) ? await listHeld(storage.db, content.guid) : [];
  const all = await Promise.all(
    [null, ...seen].map(async (variant) => ({
      content,
      variant,
      schedule: schedules.find(
        ({ variant_key }) => variant_key === (variant?.variant_key ?? DEFAULT_VARIANT),
      ),
      shown: variant === null ? await shownByDefault(storage.db, content) : null,
      held: held.find(({ variant_key }) => variant_key === variant?.variant_key) ?? null,
    })),
  );
  return all;
}

/** @throws ApiError 4 for none, one that has ended, and one that the caller does not see */
export async function readVariant(
  parts: Reading,
  caller: Caller,
  guid: string,
  key: string,
): Promise<ReadVariant> {
  const found = (await readVariants(parts, caller, guid)).find(({ variant }) =>
    key === DEFAULT_KEY ? variant === null : variant?.variant_key === key,
  );
  if (!found) throw noVariant();
  return found;
}

/** The renderings of a variant, the newest first, and which one is shown. */
export async function readRenderings(
  parts: Reading,
  caller: Caller,
  guid: string,
  key: string,
): Promise<{ rows: RenderingRow[]; shown: number | null }> {
  const { content, variant } = await readVariant(parts, caller, guid, key);
  const rows = await listRenderings(parts.storage.db, content.guid, variant?.variant_key ?? null);
  return { rows, shown: variant === null ? content.rendering_id : variant.rendering_id };
}

/** A variant that is to be changed, with its content. @throws ApiError 4, 39 for the default one */
export async function findToChange(
  tx: Executor,
  { content, role }: Found,
  caller: Caller,
  key: string,
  now: number,
): Promise<VariantRow> {
  if (key === DEFAULT_KEY)
    throw errors.actionNotSupported({
      message: 'the default variant has the values of the document itself: deploy it with others',
    });
  const variant = await findVariant(tx, key);
  const isThere = variant?.content_guid === content.guid && (variant.expires_time ?? Infinity) > now;
  if (!variant || !isThere || !seesVariant(variant, role, caller)) throw noVariant();
  return variant;
}

export async function shownByDefault(db: Executor, content: ContentRow): Promise<RenderingRow | null> {
  const all = await listRenderings(db, content.guid);
  return all.find(({ id }) => id === content.rendering_id) ?? null;
}

function noVariant() {
  return errors.notFound({ message: 'there is no such variant' });
}
