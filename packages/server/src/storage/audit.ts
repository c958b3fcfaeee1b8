// The audit log: rows are only ever added.
import { sql, type Selectable } from 'kysely';
import type { Executor } from './db.ts';
import { readKeysetPage, type KeysetRequest, type KeysetRows } from './keyset.ts';
import type { AuditTable } from './schema.ts';

export type AuditRow = Selectable<AuditTable>;

export async function appendAudit(db: Executor, row: Omit<AuditRow, 'id'>): Promise<void> {
  await db.insertInto('audit_log').values(row).execute();
}

export interface AuditFilter {
  /** Parts of the person, the action and the description, in any case; empty: any. */
  readonly who: string;
  readonly action: string;
  readonly text: string;
  /** Only entries before this id. */
  readonly before: number | null;
  readonly limit: number;
}

/** The newest entries that match. */
export function searchAudit(
  db: Executor,
  { who, action, text, before, limit }: AuditFilter,
): Promise<AuditRow[]> {
  let query = db.selectFrom('audit_log').selectAll();
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

export function readAuditPage(db: Executor, request: KeysetRequest): Promise<KeysetRows<AuditRow>> {
  return readKeysetPage(db.selectFrom('audit_log').selectAll(), request, 'audit_log', null);
}
