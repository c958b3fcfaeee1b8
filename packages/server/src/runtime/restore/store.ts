// Which restored packages are in use, on any server of the database.
import type { Executor } from '../../platform/database/storage.ts';

export interface RestoredInUse {
  /** Directories. */
  readonly paths: string[];
  /** The launch records of applications, which name theirs. */
  readonly launches: string[];
}

/** By the active deploy of content, or by a process that runs. */
export async function restoredInUse(db: Executor): Promise<RestoredInUse> {
  const contents = await db.selectFrom('content').select(['restored', 'launch']).execute();
  const jobs = await db.selectFrom('job').select('restored').where('ended', 'is', null).execute();
  return {
    paths: [...contents, ...jobs].flatMap(({ restored }) => restored ?? []),
    launches: contents.flatMap(({ launch }) => launch ?? []),
  };
}
