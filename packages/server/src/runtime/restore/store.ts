// Database access for restored packages in use on any server.
import type { Executor } from '../../platform/database/storage.ts';

export interface RestoredInUse {
  /** Directories. */
  readonly paths: string[];
  /** Launch records of applications, which contain directories. */
  readonly launches: string[];
  /** Prepared drafts, which contain directories. */
  readonly drafts: string[];
}

/** Used by active deploys, drafts, or running processes. */
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
