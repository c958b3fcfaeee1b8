// Database access for links between content, as of the last deploy.
import type { Executor } from '../../platform/database/storage.ts';
import { selectedContent, type ContentScope } from '../store.ts';

/** Replaces the links. Content that does not exist here, and the content itself, are left out. */
export async function replaceLinks(
  tx: Executor,
  contentGuid: string,
  targets: ReadonlySet<string>,
): Promise<void> {
  await tx.deleteFrom('content_link').where('content_guid', '=', contentGuid).execute();
  const others = [...targets].filter((guid) => guid !== contentGuid).slice(0, 500);
  if (others.length === 0) return;
  const there = await tx.selectFrom('content').select('guid').where('guid', 'in', others).execute();
  if (there.length === 0) return;
  const rows = there.map(({ guid }) => ({ content_guid: contentGuid, target_guid: guid }));
  await tx.insertInto('content_link').values(rows).execute();
}

export interface LinkingContent {
  readonly guid: string;
  readonly name: string;
  readonly title: string | null;
}

/** The content that links to an item: the first in scope, and the total. */
export async function listLinking(
  db: Executor,
  targetGuid: string,
  scope: ContentScope,
  limit: number,
): Promise<{ rows: LinkingContent[]; total: number }> {
  const linking = db.selectFrom('content_link').select('content_guid').where('target_guid', '=', targetGuid);
  const { total } = await db
    .selectFrom('content_link')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('target_guid', '=', targetGuid)
    .executeTakeFirstOrThrow();
  const rows = await selectedContent(db, { scope })
    .select(['guid', 'name', 'title'])
    .where('guid', 'in', linking)
    .orderBy('name')
    .orderBy('guid')
    .limit(limit)
    .execute();
  // A row may have been added between the two queries.
  return { rows, total: Math.max(Number(total), rows.length) };
}
