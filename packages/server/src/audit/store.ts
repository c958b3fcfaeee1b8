// The audit log: rows are never changed.
import { sql, type Selectable } from 'kysely';
import { readKeysetPage, type KeysetRequest, type KeysetRows } from '../platform/database/keyset.ts';
import type { AuditHeadTable, AuditTable, Micros } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';
import { writeUnanswered } from '../platform/database/unanswered.ts';

export type AuditRow = Selectable<AuditTable>;

/** To be called in a transaction. */
export async function appendAudit(tx: Executor, row: Omit<AuditRow, 'id'>): Promise<void> {
  await writeUnanswered(tx, tx.insertInto('audit_log').values(row));
}

/** The end of the chain; with `start`, the last entry removed from its start. */
export function readAuditHead(
  db: Executor,
  name: AuditHeadTable['name'] = 'audit',
): Promise<AuditHeadTable | undefined> {
  return db.selectFrom('audit_head').selectAll().where('name', '=', name).executeTakeFirst();
}

/** Whether the log has this entry of the chain. */
export async function hasAuditEntry(db: Executor, seq: number, mac: string): Promise<boolean> {
  const entry = db.selectFrom('audit_log').select('id').where('seq', '=', seq).where('mac', '=', mac);
  return (await entry.executeTakeFirst()) !== undefined;
}

/** Locks the end of the chain until the commit, so that this transaction can append an entry. */
export async function claimAuditHead(db: Executor): Promise<{ seq: number; mac: string }> {
  const none = { name: 'audit', seq: 0, mac: '', seal: '' } as const;
  const next = () =>
    db
      .updateTable('audit_head')
      .set(({ ref }) => ({ seq: sql<number>`${ref('seq')} + 1` }))
      .where('name', '=', 'audit')
      .returning(['seq', 'mac'])
      .executeTakeFirst();
  const claimed = await next();
  if (claimed) return claimed;
  await db
    .insertInto('audit_head')
    .values(none)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const first = await next();
  if (!first) throw new Error('the head of the audit log was removed while it was claimed');
  return first;
}

export async function writeAuditHead(db: Executor, { name, seq, mac, seal }: AuditHeadTable): Promise<void> {
  const head = db
    .insertInto('audit_head')
    .values({ name, seq, mac, seal })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ seq, mac, seal }));
  await writeUnanswered(db, head);
}

/** Of a number of the oldest entries up to an id, the newest one that follows none from a time on. */
export function newestRemovable(
  db: Executor,
  { before, upTo, count }: { readonly before: Micros; readonly upTo: number; readonly count: number },
): Promise<AuditRow | undefined> {
  const rows = db.selectFrom('audit_log').select(['id', 'time']).where('id', '<=', upTo);
  const oldest = rows.orderBy('id').limit(count).as('oldest');
  const kept = db
    .selectFrom(oldest)
    .select(sql<number>`min(id)`.as('id'))
    .where('time', '>=', before);
  const removable = db
    .selectFrom(oldest)
    .select(sql<number>`max(id)`.as('id'))
    .where('id', '<', sql<number>`coalesce(${kept}, ${Number.MAX_SAFE_INTEGER})`);
  return db.selectFrom('audit_log').selectAll().where('id', '=', removable).executeTakeFirst();
}

/** Removes entries up to an id and returns their number. */
export async function removeAuditUpTo(db: Executor, id: number): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('audit_log').where('id', '<=', id).executeTakeFirst();
  return Number(numDeletedRows);
}

/** Whether this content item was deleted, as long as the log has the entry. */
export async function isDeleted(db: Executor, contentGuid: string): Promise<boolean> {
  const entry = await db
    .selectFrom('audit_log')
    .select('id')
    .where('content_guid', '=', contentGuid)
    .where('action', '=', 'remove_application')
    .executeTakeFirst();
  return entry !== undefined;
}

/** When administrators let a bundle go live without the required approvals. */
export function listOverrides(db: Executor, bundleId: number) {
  return db
    .selectFrom('audit_log')
    .select('time')
    .where('content_guid', '=', db.selectFrom('bundle').select('content_guid').where('id', '=', bundleId))
    .where('bundle_id', '=', bundleId)
    .where('action', '=', 'override_release')
    .orderBy('id')
    .execute();
}

export interface AuditSelection {
  /** Microseconds, inclusive. */
  readonly from: number | null;
  readonly to: number | null;
  readonly action: string | null;
  /** GUID of the actor. */
  readonly actor: string | null;
  readonly content: string | null;
}

export const ALL_ENTRIES: AuditSelection = { from: null, to: null, action: null, actor: null, content: null };

/** The entries after an id, in order. */
export function entriesAfter(
  db: Executor,
  id: number,
  limit: number,
  selection: AuditSelection = ALL_ENTRIES,
): Promise<AuditRow[]> {
  return selected(db, selection).where('id', '>', id).orderBy('id').limit(limit).execute();
}

function selected(db: Executor, { from, to, action, actor, content }: AuditSelection) {
  let query = db.selectFrom('audit_log').selectAll();
  if (from !== null) query = query.where('time', '>=', from);
  if (to !== null) query = query.where('time', '<=', to);
  if (action !== null) query = query.where('action', '=', action);
  if (actor !== null) query = query.where('user_id', '=', actor);
  if (content !== null) query = query.where('content_guid', '=', content);
  return query;
}

/** The position of a receiver; undefined if it is not known yet. */
export async function findAuditCursor(db: Executor, sink: string): Promise<number | undefined> {
  const row = await db.selectFrom('audit_cursor').selectAll().where('sink', '=', sink).executeTakeFirst();
  return row?.id;
}

export async function newestAudit(db: Executor): Promise<number> {
  const newest = await db
    .selectFrom('audit_log')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest?.id ?? 0;
}

/** Registers a receiver at the newest entry unless it is known; returns its position. */
export async function beginAuditCursor(
  db: Executor,
  sink: string,
  newest: (db: Executor) => Promise<number> = newestAudit,
): Promise<number> {
  const known = await findAuditCursor(db, sink);
  if (known !== undefined) return known;
  const id = await newest(db);
  await db.insertInto('audit_cursor').values({ sink, id }).execute();
  return id;
}

/** False if another server has moved it meanwhile. */
export async function moveAuditCursor(
  db: Executor,
  sink: string,
  from: number,
  to: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('audit_cursor')
    .set({ id: to })
    .where('sink', '=', sink)
    .where('id', '=', from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export interface AuditFilter {
  /** Substrings of the person, the action and the description, case-insensitive; empty matches all. */
  readonly who: string;
  readonly action: string;
  readonly text: string;
  /** Microseconds, inclusive. */
  readonly from: number | null;
  readonly to: number | null;
  /** Only entries before this id. */
  readonly before: number | null;
  readonly limit: number;
}

/** The newest entries that match. */
export function searchAudit(
  db: Executor,
  { who, action, text, from, to, before, limit }: AuditFilter,
): Promise<AuditRow[]> {
  let query = selected(db, { ...ALL_ENTRIES, from, to });
  for (const [column, part] of [
    ['user_description', who],
    ['action', action],
    ['event_description', text],
  ] as const) {
    if (part === '') continue;
    const pattern = `%${part.toLowerCase().replaceAll(/[%_!]/g, '!$&')}%`;
    query = query.where(sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '!'`);
  }
  if (before !== null) query = query.where('id', '<', before);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

export function readAuditPage(
  db: Executor,
  request: KeysetRequest,
  selection: AuditSelection = ALL_ENTRIES,
): Promise<KeysetRows<AuditRow>> {
  return readKeysetPage(selected(db, selection), request, 'audit_log', null);
}

/** How many entries receivers have not got yet, by position; about, as numbers may be missing. */
export async function countWaiting(
  db: Executor,
  sink: string,
  newest: (db: Executor) => Promise<number>,
): Promise<number> {
  const at = await findAuditCursor(db, sink);
  return at === undefined ? 0 : Math.max(0, (await newest(db)) - at);
}
