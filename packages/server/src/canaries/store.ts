// Database access for canaries: bundles that take a share of new sessions, and their figures.
import type { Insertable, Selectable, Updateable } from 'kysely';
import type { CanaryFiguresTable, CanaryRuleTable, CanaryTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

export type CanaryRow = Selectable<CanaryTable>;
export type CanaryRuleRow = Selectable<CanaryRuleTable>;
export type CanarySide = CanaryFiguresTable['side'];
export type CanaryState = CanaryRow['state'];

/** States in which it takes visitors. */
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

/** Returns whether there was one. */
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

/** The canary that a task deploys or makes live. */
export function canaryOfTask(
  db: Executor,
  column: 'task_id' | 'finish_task',
  taskId: string,
): Promise<CanaryRow | undefined> {
  return db.selectFrom('canary').selectAll().where(column, '=', taskId).executeTakeFirst();
}

/** The canary that takes visitors now. */
export function findOpenCanary(db: Executor, contentGuid: string): Promise<CanaryRow | undefined> {
  return db
    .selectFrom('canary')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where('state', 'in', OPEN)
    .executeTakeFirst();
}

/** The canary that takes visitors now, else the last one requested, whatever its state. */
export function newestCanary(db: Executor, contentGuid: string): Promise<CanaryRow | undefined> {
  return newest(db, contentGuid).executeTakeFirst();
}

/** The canary that takes visitors now, else the last one that did. */
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

/** Oldest first. */
export function canariesOfBundle(db: Executor, bundleId: number): Promise<CanaryRow[]> {
  return db.selectFrom('canary').selectAll().where('bundle_id', '=', bundleId).orderBy('id').execute();
}

/** Canaries that have not ended, of one content item or all. */
export function unendedCanaries(db: Executor, contentGuid?: string): Promise<CanaryRow[]> {
  return db
    .selectFrom('canary')
    .selectAll()
    .where('state', 'in', [...OPEN, 'preparing'])
    .$if(contentGuid !== undefined, (query) => query.where('content_guid', '=', contentGuid!))
    .execute();
}

/** Changes it if it is in one of these states; returns whether it was. */
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
 * Does nothing if the canary was deleted with its content.
 * @param source identifies the counting server run: rows of the same source are replaced
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
