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
    step: Omit<ReleaseStepRow, keyof ReleaseKey | 'actor'> & Partial<Pick<ReleaseStepRow, 'actor'>>,
  ): Promise<void>;
  /** The channel gets no more news of it. @param last time of its last step */
  leave(release: ReleaseRow, last: number): Promise<void>;
  find(key: ReleaseKey): Promise<{ release: ReleaseRow; steps: readonly ReleaseStepRow[] } | null>;
  /** In all channels. */
  ofBundle(content: string, bundle: string): Promise<ReleaseRow[]>;
  /** In a channel, the newest first. @param content only of this item */
  ofChannel(place: Pick<ReleaseRow, 'team' | 'channel'>, content: string | null): Promise<ReleaseRow[]>;
  /** @param step the last that the message shows */
  posted(key: ReleaseKey, ts: string, step?: string | null): Promise<void>;
  /** Its next step is posted as a new message; nothing if another bot did this since the row was read. */
  restart(read: ReleaseRow): Promise<void>;
}

const keyOf = ({ team, channel, content, bundle }: ReleaseKey) => ({ team, channel, content, bundle });

export function createReleases({ db }: Pick<Database, 'db'>, now: () => number): Releases {
  const releases: Releases = {
    async add(release, step) {
      const { title, url, thread } = release;
      await db
        .insertInto('slack_release')
        .values({ ...keyOf(release), title, url, thread, ts: null, posted_step: null, created_time: now() })
        .onConflict((conflict) => conflict.columns(['team', 'channel', 'content', 'bundle']).doNothing())
        .execute();
      await db
        .insertInto('slack_release_step')
        .values({ ...keyOf(release), actor: null, ...step })
        .onConflict((conflict) => conflict.columns(['team', 'channel', 'id']).doNothing())
        .execute();
    },
    async leave(release, last) {
      const time = Math.max(now(), last + 1);
      // Once after its last step, whichever bot is first.
      const id = `left:${release.content}:${release.bundle}:${last}`;
      const none = { reason: null, reason_code: null, reason_detail: null, draft_task: null };
      await releases.add(release, { id, what: 'left', who: '', time, ...none });
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
    ofChannel({ team, channel }, content) {
      const rows = db.selectFrom('slack_release').selectAll().orderBy('created_time', 'desc');
      return rows.where((eb) => eb.and({ team, channel, ...(content !== null && { content }) })).execute();
    },
    async posted(key, ts, posted_step = null) {
      await db
        .updateTable('slack_release')
        .set({ ts, posted_step })
        .where((eb) => eb.and(keyOf(key)))
        .execute();
    },
    async restart(read) {
      await db
        .updateTable('slack_release')
        .set({ ts: null, posted_step: null, thread: null, created_time: now() })
        .where((eb) => eb.and({ ...keyOf(read), created_time: read.created_time }))
        // A bot of the same millisecond gave it another message, or none yet.
        .where('ts', read.ts === null ? 'is' : '=', read.ts)
        .execute();
    },
  };
  return releases;
}
