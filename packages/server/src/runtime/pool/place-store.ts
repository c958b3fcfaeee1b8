// Database access for processes of content in a cluster, from before their start to their end.
import type { Executor } from '../../platform/database/storage.ts';

/** One deploy of one content item. */
export interface Deployment {
  readonly content_guid: string;
  readonly site: string;
}

export interface PlaceRow extends Deployment {
  readonly key: string;
  readonly node: string;
}

export async function countPlaces(db: Executor, { content_guid, site }: Deployment): Promise<number> {
  const { n } = await db
    .selectFrom('process_place')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('content_guid', '=', content_guid)
    .where('site', '=', site)
    .executeTakeFirstOrThrow();
  return Number(n);
}

export async function insertPlace(db: Executor, row: PlaceRow): Promise<void> {
  await db.insertInto('process_place').values(row).execute();
}

export async function removePlace(db: Executor, key: string): Promise<void> {
  await db.deleteFrom('process_place').where('key', '=', key).execute();
}

export async function placesOf(db: Executor, node: string): Promise<string[]> {
  const rows = await db.selectFrom('process_place').select('key').where('node', '=', node).execute();
  return rows.map(({ key }) => key);
}

/** Removes places of lost servers. @param node whose own places stay */
export async function removeLostPlaces(db: Executor, node: string): Promise<void> {
  await db
    .deleteFrom('process_place')
    .where('node', '<>', node)
    .where('node', 'not in', db.selectFrom('server_life').select('server_life.node'))
    .execute();
}

export async function removePlacesOf(db: Executor, node: string): Promise<void> {
  await db.deleteFrom('process_place').where('node', '=', node).execute();
}
