// Database access for vanity paths.
import { sql, type Selectable } from 'kysely';
import type { VanityTable } from '../../platform/database/schema.ts';
import type { Executor } from '../../platform/database/storage.ts';

export type VanityRow = Selectable<VanityTable>;

export function findVanity(db: Executor, contentGuid: string): Promise<VanityRow | undefined> {
  return db.selectFrom('vanity').selectAll().where('content_guid', '=', contentGuid).executeTakeFirst();
}

export function listVanities(db: Executor): Promise<VanityRow[]> {
  return db.selectFrom('vanity').selectAll().execute();
}

/** @param guids of at least one content item */
export function vanitiesOf(db: Executor, guids: readonly string[]): Promise<VanityRow[]> {
  return db.selectFrom('vanity').selectAll().where('content_guid', 'in', guids).execute();
}

/**
 * The vanity path that is a prefix of an address; no vanity path is a prefix of another, so it is the last one in order
 * up to the address. @param path in lower case, with a trailing slash
 */
export async function findVanityOf(db: Executor, path: string): Promise<VanityRow | undefined> {
  const last = await db
    .selectFrom('vanity')
    .selectAll()
    .where('path_key', '<=', path)
    .orderBy('path_key', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last && path.startsWith(last.path_key) ? last : undefined;
}

/** Paths of other content that are the same, a prefix of it, or begin with it. @param key in lower case */
export function conflictingVanities(db: Executor, contentGuid: string, key: string): Promise<VanityRow[]> {
  return db
    .selectFrom('vanity')
    .selectAll()
    .where('content_guid', '!=', contentGuid)
    .where((eb) =>
      eb.or([
        eb('path_key', 'in', prefixesOf(key)),
        eb(sql<string>`substr(path_key, 1, ${sql.lit(key.length)})`, '=', key),
      ]),
    )
    .execute();
}

/** @param key in lower case, with slashes around it */
function prefixesOf(key: string): string[] {
  return [...key.matchAll(/\//g)].map(({ index }) => key.slice(0, index + 1));
}

export async function insertVanity(db: Executor, row: VanityRow): Promise<void> {
  await db.insertInto('vanity').values(row).execute();
}

export async function removeVanity(db: Executor, contentGuid: string): Promise<void> {
  await db.deleteFrom('vanity').where('content_guid', '=', contentGuid).execute();
}
