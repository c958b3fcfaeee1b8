// Database access for renderings: one for each time a document was rendered and shown.
import type { Insertable, Selectable } from 'kysely';
import type { RenderingTable } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

type MailedRow = Selectable<RenderingTable>;
/** Without the mail that the report describes, which may be large. */
export type RenderingRow = Omit<MailedRow, 'mail'>;

const LISTED = 100;
const COLUMNS = [
  ...(['id', 'content_guid', 'bundle_id', 'task_id', 'created_time'] as const),
  ...(['variant_key', 'parameter_values'] as const),
];

/** Renderings of a document with the values of its source, or of a variant; newest first. */
export function listRenderings(
  db: Executor,
  contentGuid: string,
  variant: string | null = null,
): Promise<RenderingRow[]> {
  return db
    .selectFrom('rendering')
    .select(COLUMNS)
    .where('content_guid', '=', contentGuid)
    .where('variant_key', variant === null ? 'is' : '=', variant)
    .orderBy('id', 'desc')
    .limit(LISTED)
    .execute();
}

/** The rendering of a task, with its mail; undefined before it exists. */
export function findRenderingOf(
  db: Executor,
  contentGuid: string,
  task: string,
): Promise<MailedRow | undefined> {
  return db
    .selectFrom('rendering')
    .selectAll()
    .where('content_guid', '=', contentGuid)
    .where('task_id', '=', task)
    .executeTakeFirst();
}

/** With its mail. */
export function findRendering(db: Executor, id: number): Promise<MailedRow | undefined> {
  return db.selectFrom('rendering').selectAll().where('id', '=', id).executeTakeFirst();
}

/**
 * Returns its id. The mails of earlier ones are removed, and those that lists no longer show, unless they wait to be
 * sent.
 */
export async function insertRendering(db: Executor, row: Insertable<RenderingTable>): Promise<number> {
  const { content_guid, variant_key = null } = row;
  const { id } = await db.insertInto('rendering').values(row).returning('id').executeTakeFirstOrThrow();
  const ofVariant = db
    .selectFrom('rendering as earlier')
    .select('earlier.id')
    .where('content_guid', '=', content_guid)
    .where('variant_key', variant_key === null ? 'is' : '=', variant_key)
    .orderBy('earlier.id', 'desc');
  const waiting = db
    .selectFrom('mail_delivery')
    .select('rendering_id')
    .where('content_guid', '=', content_guid)
    .where('state', '=', 'waiting');
  await db
    .updateTable('rendering')
    .set({ mail: null })
    .where('id', 'in', ofVariant.where('earlier.id', '<', id).limit(LISTED))
    .where('mail', 'is not', null)
    .where('id', 'not in', waiting)
    .execute();
  await db
    .deleteFrom('rendering')
    .where('content_guid', '=', content_guid)
    .where('variant_key', variant_key === null ? 'is' : '=', variant_key)
    .where('id', '<', ofVariant.limit(1).offset(LISTED - 1))
    .where('id', 'not in', waiting)
    .execute();
  return id;
}
