// Database access for the package repositories of content.
import type { Selectable } from 'kysely';
import type { PackageSourceTable } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';

export type PackageSourceRow = Selectable<PackageSourceTable>;

/** In lookup order. */
export function listPackageSources(db: Executor, contentGuid: string): Promise<PackageSourceRow[]> {
  return db
    .selectFrom('package_source')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .orderBy('position')
    .execute();
}

export async function savePackageSources(
  db: Executor,
  contentGuid: string,
  rows: readonly PackageSourceRow[],
): Promise<void> {
  await db.deleteFrom('package_source').where('content_guid', '=', contentGuid).execute();
  if (rows.length > 0)
    await db
      .insertInto('package_source')
      .values([...rows])
      .execute();
}

export function listSealedSources(db: Executor): Promise<PackageSourceRow[]> {
  return db.selectFrom('package_source').selectAll().where('password', 'is not', null).execute();
}

/** False if it has changed. */
export async function replaceSealedSource(
  db: Executor,
  { content_guid, position, password }: PackageSourceRow,
  sealed: string,
): Promise<boolean> {
  const result = await db
    .updateTable('package_source')
    .set({ password: sealed })
    .where('content_guid', '=', content_guid)
    .where('position', '=', position)
    .where('password', '=', password)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) > 0;
}
