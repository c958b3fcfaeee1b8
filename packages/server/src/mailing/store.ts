// Database access for mails: recipients of renderings, and delivery states.
import type { Selectable, Updateable } from 'kysely';
import type { MailDeliveryTable, MailRecipientTable, Micros } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

export type RecipientRow = Selectable<MailRecipientTable>;
export type DeliveryRow = Selectable<MailDeliveryTable>;

const LISTED = 200;
const TAKEN_AT_ONCE = 20;

export function listRecipients(db: Executor, contentGuid: string, variant: string): Promise<RecipientRow[]> {
  return db
    .selectFrom('mail_recipient')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where('variant_key', '=', variant)
    .orderBy('type')
    .orderBy('value')
    .execute();
}

/** The first ones by name. @param most their maximum number */
export function membersWithEmail(db: Executor, groupGuid: string, most: number) {
  return db
    .selectFrom('group_member')
    .innerJoin('user_account', 'user_account.guid', 'group_member.user_guid')
    .select(['user_account.guid', 'user_account.email'])
    .where('group_guid', '=', groupGuid)
    .where('email', '!=', '')
    .orderBy('first_name_key')
    .orderBy('last_name_key')
    .orderBy('username_key')
    .limit(most)
    .execute();
}

export async function saveRecipients(
  db: Executor,
  contentGuid: string,
  variant: string,
  rows: readonly RecipientRow[],
): Promise<void> {
  await db
    .deleteFrom('mail_recipient')
    .where('content_guid', '=', contentGuid)
    .where('variant_key', '=', variant)
    .execute();
  if (rows.length > 0)
    await db
      .insertInto('mail_recipient')
      .values([...rows])
      .execute();
}

/** Removes what lists no longer show, unless it waits to be sent. */
export async function insertDeliveries(
  db: Executor,
  rows: readonly Omit<DeliveryRow, 'id'>[],
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  await db
    .insertInto('mail_delivery')
    .values([...rows])
    .execute();
  const ofContent = db.selectFrom('mail_delivery').where('content_guid', '=', first.content_guid);
  const oldest = ofContent
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .offset(LISTED - 1);
  await db
    .deleteFrom('mail_delivery')
    .where('content_guid', '=', first.content_guid)
    .where('id', '<', oldest)
    .where('state', '!=', 'waiting')
    .execute();
}

/** Ends mails of earlier renderings that have not reached these addresses: they would show the new one, too. */
export async function endEarlierDeliveries(
  db: Executor,
  rows: readonly Omit<DeliveryRow, 'id'>[],
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const { content_guid, variant_key, rendering_id } = first;
  await db
    .updateTable('mail_delivery')
    .set({ state: 'failed', error: 'a newer rendering is mailed instead', next_time: null })
    .where('content_guid', '=', content_guid)
    .where('variant_key', '=', variant_key)
    .where('rendering_id', '<', rendering_id)
    .where('state', '=', 'waiting')
    .where(
      'address',
      'in',
      rows.map(({ address }) => address),
    )
    .execute();
}

/** Newest first. */
export function listDeliveries(db: Executor, contentGuid: string): Promise<DeliveryRow[]> {
  return db
    .selectFrom('mail_delivery')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .orderBy('id', 'desc')
    .limit(LISTED)
    .execute();
}

/** @param latest time to plan an attempt for: later ones were planned by a clock that was ahead */
export function dueDeliveries(db: Executor, now: Micros, latest: Micros): Promise<DeliveryRow[]> {
  return db
    .selectFrom('mail_delivery')
    .selectAll()
    .where((eb) => eb.or([eb('next_time', '<=', now), eb('next_time', '>', latest)]))
    .orderBy('next_time')
    .limit(TAKEN_AT_ONCE)
    .execute();
}

/** Claims an attempt unless another server did. True if the caller may send. */
export async function claimDelivery(
  db: Executor,
  { id, attempts }: DeliveryRow,
  until: Micros,
): Promise<boolean> {
  const result = await db
    .updateTable('mail_delivery')
    .set({ attempts: attempts + 1, next_time: until })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function updateDelivery(
  db: Executor,
  id: number,
  set: Updateable<MailDeliveryTable>,
): Promise<void> {
  await db.updateTable('mail_delivery').set(set).where('id', '=', id).execute();
}

/** A failed attempt. A mail that was ended meanwhile stays so. */
export async function noteFailedAttempt(
  db: Executor,
  id: number,
  set: Pick<DeliveryRow, 'state' | 'error' | 'next_time'>,
): Promise<void> {
  await db
    .updateTable('mail_delivery')
    .set(set)
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .execute();
}
