// The outbox: each message is posted once, by one bot, until Slack accepts it.
import { sql, type ExpressionBuilder, type RawBuilder, type Selectable } from 'kysely';
import type { Database } from './database.ts';
import { exclusively } from './exclusively.ts';
import { plus } from './lease-clock.ts';
import { AHEAD, type Sharing } from './notices.ts';
import type { OutboxTable, Schema } from './schema.ts';

export type Waiting = Selectable<OutboxTable> & {
  /** Another attempt may have posted it already. */
  readonly isAgain: boolean;
};
export type NewMessage = Pick<Waiting, 'id' | 'team' | 'channel' | 'reader' | 'content' | 'message'> & {
  /** Milliseconds after which it may be posted again; never by default. */
  readonly repeatAfter?: number;
};

export interface Outbox {
  /** False if it was added before. */
  add(message: NewMessage): Promise<boolean>;
  /**
   * Takes the oldest due message that no other bot has; null for none. Of rows with the same subject, and of those about
   * releases in a channel, only one is taken at a time.
   */
  take(): Promise<Waiting | null>;
  /** Takes all others about releases in its channel, due or not, that no bot has, the oldest first. */
  takeReleases(waiting: Pick<Waiting, 'id' | 'team' | 'channel'>): Promise<Waiting[]>;
  finish(id: string): Promise<void>;
  /** Milliseconds since the epoch. */
  retry(id: string, notBefore: number): Promise<void>;
  /** Whether one of this subject is still to be posted in the channel. */
  has(message: Pick<NewMessage, 'channel' | 'message'>): Promise<boolean>;
  /** Time of the next due message; null for none. */
  nextDue(): Promise<number | null>;
}

/** Longer than posting takes. */
const LEASE = 60_000;

/** Also if it is of before the clock was set back. */
const isPast = (
  eb: ExpressionBuilder<Schema, 'slack_outbox'>,
  column: 'not_before' | 'lease_until',
  time: RawBuilder<number>,
) => eb.or([eb(column, '<=', time), eb(column, '>', plus(time, AHEAD))]);

const RELEASE = '{"release":%';

/**
 * Whether another row with the same subject is taken: both update the same message; or another about releases in the
 * channel: those of quiet hours come in one message.
 */
const isOut = (eb: ExpressionBuilder<Schema, 'slack_outbox'>, time: RawBuilder<number>) =>
  eb.exists(
    eb
      .selectFrom('slack_outbox as other')
      .select('other.id')
      .where('other.done_time', 'is', null)
      .where('other.lease_until', '>', time)
      .where('other.lease_until', '<=', plus(time, AHEAD))
      .whereRef('other.channel', '=', 'slack_outbox.channel')
      .where((both) =>
        both.or([
          both('other.message', '=', both.ref('slack_outbox.message')),
          both.and([both('other.message', 'like', RELEASE), both('slack_outbox.message', 'like', RELEASE)]),
        ]),
      )
      .whereRef('other.id', '<>', 'slack_outbox.id'),
  );

export function createOutbox(
  database: Pick<Database, 'db' | 'engine'>,
  { now, leaseClock, owner }: Sharing,
): Outbox {
  const { db, engine } = database;
  /**
   * Two bots would each find that the other has taken nothing of a channel yet. An SQLite file has one, and its update
   * looks again.
   */
  const alone = <T>(run: (tx: Database['db']) => Promise<T>) =>
    engine === 'sqlite' ? run(db) : exclusively(database, 'outbox', '', run);
  const leased = () => ({ owner, lease_until: plus(leaseClock(), LEASE) });
  return {
    async add({ repeatAfter = Infinity, ...message }) {
      const state = {
        created_time: now(),
        done_time: null,
        owner: '',
        lease_until: 0,
        not_before: 0,
        failures: 0,
      };
      const result = await db
        .insertInto('slack_outbox')
        .values({ ...message, ...state })
        .onConflict((conflict) =>
          repeatAfter === Infinity
            ? conflict.column('id').doNothing()
            : conflict
                .column('id')
                .doUpdateSet({ ...message, ...state })
                .where('slack_outbox.done_time', 'is not', null)
                .where('slack_outbox.created_time', '<=', state.created_time - repeatAfter),
        )
        .executeTakeFirst();
      return Number(result.numInsertedOrUpdatedRows) > 0;
    },
    async take() {
      const found = await alone(async (tx) => {
        const time = leaseClock();
        const next = await tx
          .selectFrom('slack_outbox')
          .select(['id', 'owner'])
          .where('done_time', 'is', null)
          .where((eb) => isPast(eb, 'not_before', time))
          .where((eb) => isPast(eb, 'lease_until', time))
          .where((eb) => eb.not(isOut(eb, time)))
          .orderBy('created_time')
          .orderBy('id')
          .executeTakeFirst();
        if (!next) return null;
        const taken = await tx
          .updateTable('slack_outbox')
          .set(leased())
          .where('id', '=', next.id)
          .where('done_time', 'is', null)
          .where((eb) => isPast(eb, 'lease_until', time))
          .where((eb) => eb.not(isOut(eb, time)))
          .returningAll()
          .executeTakeFirst();
        return { taken, isAgain: next.owner !== '' };
      });
      if (found === null) return null;
      const { taken, isAgain } = found;
      // It was taken or posted meanwhile: there may be more.
      return taken ? { ...taken, isAgain } : this.take();
    },
    async takeReleases({ id, team, channel }) {
      const taken = await alone((tx) =>
        tx
          .updateTable('slack_outbox')
          .set(leased())
          .where((eb) => eb.and({ team, channel }))
          .where('id', '<>', id)
          .where('message', 'like', RELEASE)
          .where('done_time', 'is', null)
          .where((eb) => isPast(eb, 'lease_until', leaseClock()))
          .returningAll()
          .execute(),
      );
      return taken
        .toSorted((a, b) => a.created_time - b.created_time || (a.id < b.id ? -1 : 1))
        .map((row) => ({ ...row, isAgain: true }));
    },
    async finish(id) {
      await db
        .updateTable('slack_outbox')
        .set({ done_time: now(), message: '' })
        .where('id', '=', id)
        .execute();
    },
    async retry(id, notBefore) {
      await db
        .updateTable('slack_outbox')
        .set({ lease_until: 0, not_before: notBefore, failures: sql`failures + 1` })
        .where('id', '=', id)
        // Its lease may have ended meanwhile: then another bot has it.
        .where('owner', 'in', [owner, ''])
        .execute();
    },
    async has({ channel, message }) {
      const rows = db.selectFrom('slack_outbox').select('id').where('done_time', 'is', null);
      const one = rows.where((eb) => eb.and({ channel, message })).limit(1);
      return (await one.executeTakeFirst()) !== undefined;
    },
    async nextDue() {
      const row = await db
        .selectFrom('slack_outbox')
        .select((eb) =>
          eb.fn
            .min<number | null>(
              sql<number>`case when not_before > lease_until then not_before else lease_until end`,
            )
            .as('due'),
        )
        .where('done_time', 'is', null)
        .executeTakeFirst();
      return row?.due ?? null;
    },
  };
}
