// Which restored packages are in use, on any server of the database.
import type { Executor } from '../../platform/database/storage.ts';

export interface RestoredInUse {
  /** Directories. */
  readonly paths: string[];
  /** The launch records of applications, which name theirs. */
  readonly launches: string[];
  /** What drafts have prepared, which names theirs. */
  readonly drafts: string[];
}

/** By the active deploy of content, by a draft, or by a process that runs. */
export async function restoredInUse(db: Executor): Promise<RestoredInUse> {
  const contents = await db.selectFrom('content').select(['restored', 'launch']).execute();
  const jobs = await db.selectFrom('job').select('restored').where('ended', 'is', null).execute();
  const drafts = await db.selectFrom('draft').select('prepared').execute();
  return {
    paths: [...contents, ...jobs].flatMap(({ restored }) => restored ?? []),
    drafts: drafts.map(({ prepared }) => prepared),
    launches: contents.flatMap(({ launch }) => launch ?? []),
  };
}
