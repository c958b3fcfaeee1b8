// The audit log: rows are only ever added.
import type { Selectable } from 'kysely';
import type { Executor } from './db.ts';
import { readKeysetPage, type KeysetRequest, type KeysetRows } from './keyset.ts';
import type { AuditTable } from './schema.ts';

export type AuditRow = Selectable<AuditTable>;

export async function appendAudit(db: Executor, row: Omit<AuditRow, 'id'>): Promise<void> {
  await db.insertInto('audit_log').values(row).execute();
}

export function readAuditPage(db: Executor, request: KeysetRequest): Promise<KeysetRows<AuditRow>> {
  return readKeysetPage(db.selectFrom('audit_log').selectAll(), request, 'audit_log', null);
}
