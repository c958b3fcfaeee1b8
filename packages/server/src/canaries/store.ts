// Rows of canaries: bundles that take a share of new sessions, and what was counted of them.
import type { Insertable, Selectable, Updateable } from 'kysely';
import type { CanaryFiguresTable, CanaryRuleTable, CanaryTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

export type CanaryRow = Selectable<CanaryTable>;
export type CanaryRuleRow = Selectable<CanaryRuleTable>;
export type CanarySide = CanaryFiguresTable['side'];
export type CanaryState = CanaryRow['state'];

/** Those in which it takes visitors. */
export const OPEN: readonly CanaryState[] = ['running', 'waiting', 'finishing'];

export type CountedFigures = Selectable<CanaryFiguresTable>;

export function findCanaryRule(db: Executor, contentGuid: string): Promise<CanaryRuleRow | undefined> {
  return db.selectFrom('canary_rule').selectAll().where('content_guid', '=', contentGuid).executeTakeFirst();
}

export async function saveCanaryRule(db: Executor, row: CanaryRuleRow): Promise<void> {
  await db
    .insertInto('canary_rule')
    .values(row)
    .onConflict((conflict) => conflict.column('content_guid').doUpdateSet(row))
    .execute();
}

/** True where there was one. */
export async function removeCanaryRule(db: Executor, contentGuid: string): Promise<boolean> {
  const result = await db
    .deleteFrom('canary_rule')
    .where('content_guid', '=', contentGuid)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function insertCanary(db: Executor, row: Insertable<CanaryTable>): Promise<void> {
  await db.insertInto('canary').values(row).execute();
}

export function findCanary(db: Executor, id: number): Promise<CanaryRow | undefined> {
  return db.selectFrom('canary').selectAll().where('id', '=', id).executeTakeFirst();
}

/** That a task deploys, or makes live. */
export function canaryOfTask(
  db: Executor,
  column: 'task_id' | 'finish_task',
  taskId: string,
): Promise<CanaryRow | undefined> {
  return db.selectFrom('canary').selectAll().where(column, '=', taskId).executeTakeFirst();
}

/** That takes visitors now. */
export function findOpenCanary(db: Executor, contentGuid: string): Promise<CanaryRow | undefined> {
  return db
    .selectFrom('canary')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where('state', 'in', OPEN)
    .executeTakeFirst();
}

/** That takes visitors now, else the last one that was asked for, whatever became of it. */
export function newestCanary(db: Executor, contentGuid: string): Promise<CanaryRow | undefined> {
  return newest(db, contentGuid).executeTakeFirst();
}

/** That takes visitors now, else the last one that did. */
export function lastStartedCanary(db: Executor, contentGuid: string): Promise<CanaryRow | undefined> {
  return newest(db, contentGuid).where('started_time', 'is not', null).executeTakeFirst();
}

function newest(db: Executor, contentGuid: string) {
  return db
    .selectFrom('canary')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .orderBy((query) => query.case().when('state', 'in', OPEN).then(0).else(1).end())
    .orderBy('id', 'desc')
    .limit(1);
}

/** The oldest first. */
export function canariesOfBundle(db: Executor, bundleId: number): Promise<CanaryRow[]> {
  return db.selectFrom('canary').selectAll().where('bundle_id', '=', bundleId).orderBy('id').execute();
}

/** Those of all content that have not ended. */
export function unendedCanaries(db: Executor): Promise<CanaryRow[]> {
  return db
    .selectFrom('canary')
    .selectAll()
    .where('state', 'in', [...OPEN, 'preparing'])
    .execute();
}

/** Whether it was in one of these states; it is not changed otherwise. */
export async function changeCanary(
  db: Executor,
  id: number,
  from: readonly CanaryState[],
  changes: Updateable<CanaryTable>,
): Promise<boolean> {
  const result = await db
    .updateTable('canary')
    .set(changes)
    .where('id', '=', id)
    .where('state', 'in', from)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Nothing where the canary is gone, with its content.
 * @param source names who counted: of one server, whatever is not added to the row before
 */
export async function saveFigures(
  db: Executor,
  { canary_id, source, side, figures }: CountedFigures,
): Promise<void> {
  await db
    .insertInto('canary_figures')
    .columns(['canary_id', 'source', 'side', 'figures'])
    .expression((query) =>
      query
        .selectFrom('canary')
        .select((value) => [
          'id',
          value.val(source).as('source'),
          value.val(side).as('side'),
          value.val(figures).as('figures'),
        ])
        .where('id', '=', canary_id),
    )
    .onConflict((conflict) => conflict.columns(['canary_id', 'source', 'side']).doUpdateSet({ figures }))
    .execute();
}

export function listFigures(db: Executor, canaryId: number) {
  return db
    .selectFrom('canary_figures')
    .select(['side', 'figures'])
    .where('canary_id', '=', canaryId)
    .execute();
}
