// Reads variants, including the default one, which has no row.
import { errors } from '@pressroom/api/contract';
import { loadContent, type Found } from '../content/commands.ts';
import { mayAct } from '../content/policy.ts';
import type { ContentRow } from '../content/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Executor, Storage } from '../platform/database/storage.ts';
import { findRendering, listRenderings, type RenderingRow } from '../runtime/rendering-store.ts';
import { DEFAULT_VARIANT, schedulesOf, type ScheduleRow } from '../schedules/store.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { findLastRender } from '../tasks/store.ts';
import { listHeld, type HeldRow } from './held-store.ts';
import { seesVariant } from './policy.ts';
import { findVariant, listVariants, type VariantRow } from './store.ts';

/** Key of the default variant in addresses. */
export const DEFAULT_KEY = 'default';

type Reading = { readonly storage: Storage; readonly clock: Clock };

export interface ReadVariant {
  readonly content: ContentRow;
  /** Null for the default variant. */
  readonly variant: VariantRow | null;
  readonly schedule: ScheduleRow | undefined;
  /** The current rendering of the default variant; null for others, whose row has it. */
  readonly shown: RenderingRow | null;
  /** The task that renders it, or did so last, even if it failed. */
  readonly taskId: string | null;
  /** A held rendering, for callers who may open drafts. */
  readonly held: HeldRow | null;
}

/** The default variant first. @throws ApiError 4, 19 */
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
  const shown = await shownByDefault(storage.db, content);
  const last = await findLastRender(storage.db, content.guid);
  const isNewer = last !== undefined && last.created_time > (shown?.created_time ?? 0);
  const lastTask = isNewer ? last.id : (shown?.task_id ?? null);
  return [null, ...seen].map((variant) => ({
    content,
    variant,
    schedule: schedules.find(({ variant_key }) => variant_key === (variant?.variant_key ?? DEFAULT_VARIANT)),
    shown: variant === null ? shown : null,
    taskId: variant === null ? lastTask : variant.task_id,
    held: held.find(({ variant_key }) => variant_key === variant?.variant_key) ?? null,
  }));
}

/** @throws ApiError 4 if there is none, it has expired, or the caller may not see it */
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

/**
 * The renderings of a variant, newest first, and the current one. Viewers see that one only: it may have been private,
 * with other values, before.
 */
export async function readRenderings(
  parts: Reading,
  caller: Caller,
  guid: string,
  key: string,
): Promise<{ rows: RenderingRow[]; shown: number | null }> {
  const { content, variant } = await readVariant(parts, caller, guid, key);
  const rows = await listRenderings(parts.storage.db, content.guid, variant?.variant_key ?? null);
  const shown = variant === null ? content.rendering_id : variant.rendering_id;
  const { role } = await loadContent(parts.storage.db, guid, caller, 'getContent');
  const seesAll = variant === null || variant.user_guid === caller.guid || mayAct('readJobs', role, caller);
  return { rows: seesAll ? rows : rows.filter(({ id }) => id === shown), shown };
}

/** A variant to change, with its content. @throws ApiError 4, 39 for the default variant */
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

/** With the mail that the report describes. */
export async function shownByDefault(db: Executor, { rendering_id }: ContentRow) {
  return rendering_id === null ? null : ((await findRendering(db, rendering_id)) ?? null);
}

function noVariant() {
  return errors.notFound({ message: 'there is no such variant' });
}
