// Notices of deploys: one row per channel and deploy, reserved before anything is posted.
import { randomUUID } from 'node:crypto';
import { sql, type Selectable } from 'kysely';
import type { Database } from './database.ts';
import { exclusively } from './exclusively.ts';
import { type LeaseClock, plus } from './lease-clock.ts';
import type { NoticeTable } from './schema.ts';

export type Notice = Selectable<NoticeTable>;

/** Data of a new announcement. */
export interface NewNotice {
  readonly team: string;
  readonly channel: string;
  /** Null if only the audit log has it. */
  readonly task: string | null;
  /** Identifies the deploy without a known task, for example by audit entry. */
  readonly otherwise: string;
  readonly content: string;
  readonly title: string;
  readonly url: string | null;
  readonly bundle: string | null;
  readonly who: string;
  readonly via: string;
  readonly slack_user: string | null;
  readonly reader: string | null;
  readonly previous: string | null;
  readonly only_failures: 0 | 1;
  /** Milliseconds. */
  readonly started_time: number;
}

export type Changes = Partial<Omit<Notice, 'id' | 'team' | 'channel' | 'deploy'>>;

export interface Notices {
  /**
   * The row, and whether this call created it: only then it must be announced.
   * @param sameIn finds the notice of this deploy from another source, among the last ones of the content
   */
  reserve(
    notice: NewNotice,
    sameIn?: (recent: readonly Notice[]) => Notice | undefined,
  ): Promise<{ notice: Notice; fresh: boolean }>;
  update(id: string, changes: Changes): Promise<void>;
  find(id: string): Promise<Notice | null>;
  /** Takes over incomplete notices without a live owner. */
  claim(): Promise<Notice[]>;
  /** Renews the lease of these; returns those that this bot still owns. */
  keep(ids: readonly string[]): Promise<Set<string>>;
  /** Lets other bots take over at once. */
  release(): Promise<void>;
  /** All incomplete notices. */
  open(): Promise<Notice[]>;
  /** Newest of a content item first. */
  ofContent(content: string, count: number): Promise<Notice[]>;
  ofTask(task: string): Promise<Notice[]>;
  /** Running deploys started by a person. */
  runningOf(team: string, slackUser: string): Promise<Notice[]>;
  /** Takes one edit from a workspace's budget of the last minute; false if it is used up. */
  takeEdit(team: string, most: number): Promise<boolean>;
}

/** Notices among which one of the same deploy is looked for. */
const RECENT = 20;
const MINUTE = 60_000;
/** Milliseconds after which an incomplete notice is dropped. */
const OPEN_LIFE = 7 * 24 * 60 * MINUTE;

/** Milliseconds without a heartbeat after which another bot takes over. */
export const LEASE = 20_000;

/**
 * Milliseconds: a time further ahead is of before the clock was set back. More than any pause, and than clocks of bots
 * differ.
 */
export const AHEAD = 7_200_000;

export interface Sharing {
  readonly now: () => number;
  readonly leaseClock: LeaseClock;
  /** Id of this bot. */
  readonly owner: string;
}

export function createNotices(
  database: Pick<Database, 'db' | 'engine'>,
  { now, leaseClock, owner }: Sharing,
): Notices {
  const { db, engine } = database;
  const leased = () => ({ owner, lease_until: plus(leaseClock(), LEASE) });
  const lastOf = (on: Database['db'], content: string, count: number) =>
    on
      .selectFrom('slack_notice')
      .selectAll()
      .where('content', '=', content)
      .orderBy('created_time', 'desc')
      .limit(count)
      .execute();
  const find = async (id: string) =>
    (await db.selectFrom('slack_notice').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;

  return {
    reserve: ({ otherwise, ...known }, sameIn = () => undefined) =>
      // Bots that hear of a deploy from several sources would each find no notice yet.
      exclusively(database, 'notices', known.content, async (tx) => {
        const same = sameIn(await lastOf(tx, known.content, RECENT));
        if (same !== undefined) {
          const { task } = known;
          if (same.task === null && task !== null)
            await tx.updateTable('slack_notice').set({ task }).where('id', '=', same.id).execute();
          return { notice: same, fresh: false };
        }
        const row: Notice = {
          ...known,
          id: randomUUID(),
          deploy: known.task ?? otherwise,
          state: 'running',
          end_reason: null,
          code: 0,
          error: '',
          cause: null,
          last_lines: '[]',
          line_count: 0,
          phase: 0,
          thread: null,
          ts: null,
          result_ts: null,
          file_done: 0,
          edited_state: '',
          finished_time: null,
          created_time: now(),
          owner,
          lease_until: 0,
        };
        const inserted = await tx
          .insertInto('slack_notice')
          .values({ ...row, ...leased() })
          .onConflict((conflict) => conflict.columns(['team', 'channel', 'deploy']).doNothing())
          .returningAll()
          .executeTakeFirst();
        if (inserted !== undefined) return { notice: inserted, fresh: true };
        const notice = await tx
          .selectFrom('slack_notice')
          .selectAll()
          .where('team', '=', row.team)
          .where('channel', '=', row.channel)
          .where('deploy', '=', row.deploy)
          .executeTakeFirstOrThrow();
        return { notice, fresh: false };
      }),
    async update(id, changes) {
      await db.updateTable('slack_notice').set(changes).where('id', '=', id).execute();
    },
    find,
    claim: () =>
      db
        .updateTable('slack_notice')
        .set(leased())
        .where('file_done', '=', 0)
        .where('created_time', '>', now() - OPEN_LIFE)
        // An SQLite file has one bot: every open row belongs to one that is gone.
        .$if(engine === 'postgres', (query) =>
          query.where((eb) =>
            eb.or([
              eb('lease_until', '<', leaseClock()),
              eb('lease_until', '>', plus(leaseClock(), AHEAD)),
              eb('owner', '=', owner),
            ]),
          ),
        )
        .returningAll()
        .execute(),
    async keep(ids) {
      if (ids.length === 0) return new Set();
      const kept = await db
        .updateTable('slack_notice')
        .set(leased())
        .where('id', 'in', [...ids])
        .where('owner', '=', owner)
        .returning('id')
        .execute();
      return new Set(kept.map(({ id }) => id));
    },
    async release() {
      await db
        .updateTable('slack_notice')
        .set({ lease_until: 0 })
        .where('owner', '=', owner)
        .where('file_done', '=', 0)
        .execute();
    },
    open: () =>
      db
        .selectFrom('slack_notice')
        .selectAll()
        .where('file_done', '=', 0)
        .where('created_time', '>', now() - OPEN_LIFE)
        .orderBy('created_time')
        .execute(),
    ofContent: (content, count) => lastOf(db, content, count),
    ofTask: (task) => db.selectFrom('slack_notice').selectAll().where('task', '=', task).execute(),
    runningOf: (team, slackUser) =>
      db
        .selectFrom('slack_notice')
        .selectAll()
        .where('team', '=', team)
        .where('slack_user', '=', slackUser)
        .where('state', '=', 'running')
        .execute(),
    async takeEdit(team, most) {
      const time = leaseClock();
      const take = sql`
        insert into slack_edit (id, team, time)
        select cast(${randomUUID()} as text), cast(${team} as text), ${time}
        where (
          select count(*) from slack_edit
          where team = ${team} and time > ${plus(time, -MINUTE)} and time < ${plus(time, MINUTE)}
        ) < ${most}
      `;
      // Concurrent counts would each find room.
      const result = await exclusively(database, 'edits', team, (tx) => take.execute(tx));
      return Number(result.numAffectedRows) > 0;
    },
  };
}
