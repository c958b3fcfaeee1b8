// Releases in channels: one message each, with its history.
import type { Selectable } from 'kysely';
import type { Database } from './database.ts';
import type { ReleaseTable, ReleaseStepTable } from './schema.ts';

export type ReleaseRow = Selectable<ReleaseTable>;
export type ReleaseStepRow = Selectable<ReleaseStepTable>;
export type ReleaseKey = Pick<ReleaseRow, 'team' | 'channel' | 'content' | 'bundle'>;

export interface Releases {
  /** Once per event and channel. */
  add(
    release: Pick<ReleaseRow, keyof ReleaseKey | 'title' | 'url' | 'thread'>,
    step: Omit<ReleaseStepRow, keyof ReleaseKey>,
  ): Promise<void>;
  find(key: ReleaseKey): Promise<{ release: ReleaseRow; steps: readonly ReleaseStepRow[] } | null>;
  /** In all channels. */
  ofBundle(content: string, bundle: string): Promise<ReleaseRow[]>;
  posted(key: ReleaseKey, ts: string): Promise<void>;
  /** Its next step is posted as a new message; nothing if another bot did this since the row was read. */
  restart(read: ReleaseRow): Promise<void>;
}

const keyOf = ({ team, channel, content, bundle }: ReleaseKey) => ({ team, channel, content, bundle });

export function createReleases({ db }: Pick<Database, 'db'>, now: () => number): Releases {
  return {
    async add(release, step) {
      const { title, url, thread } = release;
      await db
        .insertInto('slack_release')
        .values({ ...keyOf(release), title, url, thread, ts: null, created_time: now() })
        .onConflict((conflict) => conflict.columns(['team', 'channel', 'content', 'bundle']).doNothing())
        .execute();
      await db
        .insertInto('slack_release_step')
        .values({ ...keyOf(release), ...step })
        .onConflict((conflict) => conflict.columns(['team', 'channel', 'id']).doNothing())
        .execute();
    },
    async find(key) {
      const release = await db
        .selectFrom('slack_release')
        .selectAll()
        .where((eb) => eb.and(keyOf(key)))
        .executeTakeFirst();
      if (!release) return null;
      const steps = await db
        .selectFrom('slack_release_step')
        .selectAll()
        .where((eb) => eb.and(keyOf(key)))
        .orderBy('time')
        .orderBy('id')
        .execute();
      return { release, steps };
    },
    ofBundle(content, bundle) {
      const rows = db.selectFrom('slack_release').selectAll();
      return rows.where((eb) => eb.and({ content, bundle })).execute();
    },
    async posted(key, ts) {
      await db
        .updateTable('slack_release')
        .set({ ts })
        .where((eb) => eb.and(keyOf(key)))
        .execute();
    },
    async restart(read) {
      await db
        .updateTable('slack_release')
        .set({ ts: null, thread: null, created_time: now() })
        .where((eb) => eb.and({ ...keyOf(read), created_time: read.created_time }))
        .execute();
    },
  };
}
