// Database access for encrypted environment variables.
import type { Selectable } from 'kysely';
import type { EnvironmentTable } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';

export type EnvironmentRow = Selectable<EnvironmentTable>;

export async function listVariableNames(db: Executor, contentGuid: string): Promise<string[]> {
  const rows = await db
    .selectFrom('environment')
    .select('name')
    .where('content_guid', '=', contentGuid)
    .orderBy('name')
    .execute();
  return rows.map((row) => row.name);
}

export function listVariables(db: Executor, contentGuid: string): Promise<EnvironmentRow[]> {
  return db.selectFrom('environment').selectAll().where('content_guid', '=', contentGuid).execute();
}

/** @param sealed the encrypted value; null removes the variable. */
export async function setVariable(db: Executor, contentGuid: string, name: string, sealed: string | null) {
  await db
    .deleteFrom('environment')
    .where('content_guid', '=', contentGuid)
    .where('name', '=', name)
    .execute();
  if (sealed === null) return;
  await db.insertInto('environment').values({ content_guid: contentGuid, name, value: sealed }).execute();
}

/** Every variable of every content item. */
export function listSealed(db: Executor): Promise<EnvironmentRow[]> {
  return db.selectFrom('environment').selectAll().orderBy('content_guid').orderBy('name').execute();
}

/** Replaces exactly this sealed value; false if it has changed. */
export async function replaceSealed(db: Executor, row: EnvironmentRow, sealed: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('environment')
    .set({ value: sealed })
    .where('content_guid', '=', row.content_guid)
    .where('name', '=', row.name)
    .where('value', '=', row.value)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
