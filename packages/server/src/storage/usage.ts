// Visits to content and sessions of applications.
import type { Insertable, Selectable } from 'kysely';
import type { Executor } from './db.ts';
import { readKeysetPage, type KeysetRequest, type KeysetRows } from './keyset.ts';
import type { AppSessionTable, Micros, VisitTable } from './schema.ts';

export type VisitRow = Selectable<VisitTable>;
export type AppSessionRow = Selectable<AppSessionTable>;

export interface UsageFilter {
  readonly contents: readonly string[] | null;
  /** Only content of this owner. */
  readonly owner: string | null;
  readonly minDataVersion: number;
  readonly from: Micros | null;
  readonly to: Micros | null;
}

export async function insertVisits(db: Executor, rows: Insertable<VisitTable>[]): Promise<void> {
  await db.insertInto('visit').values(rows).execute();
}

export function readVisitPage(
  db: Executor,
  f: UsageFilter,
  page: KeysetRequest,
): Promise<KeysetRows<VisitRow>> {
  let query = db.selectFrom('visit').selectAll().where('data_version', '>=', f.minDataVersion);
  if (f.contents) query = query.where('content_guid', 'in', f.contents);
  if (f.owner) {
    const { owner } = f;
    query = query.where('content_guid', 'in', (eb) =>
      eb.selectFrom('content').select('guid').where('owner_guid', '=', owner),
    );
  }
  if (f.from !== null) query = query.where('time', '>=', f.from);
  if (f.to !== null) query = query.where('time', '<=', f.to);
  return readKeysetPage(query, page, 'visit', 'time');
}

export function readSessionPage(
  db: Executor,
  f: UsageFilter,
  page: KeysetRequest,
): Promise<KeysetRows<AppSessionRow>> {
  let query = db.selectFrom('app_session').selectAll().where('data_version', '>=', f.minDataVersion);
  if (f.contents) query = query.where('content_guid', 'in', f.contents);
  if (f.owner) {
    const { owner } = f;
    query = query.where('content_guid', 'in', (eb) =>
      eb.selectFrom('content').select('guid').where('owner_guid', '=', owner),
    );
  }
  const { from, to } = f;
  if (from !== null) query = query.where((eb) => eb.or([eb('ended', 'is', null), eb('ended', '>=', from)]));
  if (to !== null) query = query.where('started', '<=', to);
  return readKeysetPage(query, page, 'app_session', 'started');
}
