// Channels in which a post failed because they are closed to the bot, until that is checked again.
import type { Selectable } from 'kysely';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';

type Row = Selectable<Schema['slack_closed_channel']>;
type Place = Pick<Row, 'team' | 'channel'>;
export type ClosedChannel = Pick<Row, 'team' | 'channel' | 'word'>;

export interface ClosedChannels {
  /** Does nothing if it is known already. */
  add(closed: ClosedChannel): Promise<void>;
  /** One to be checked now, by one bot; it is due again after the same time. */
  take(): Promise<Row | null>;
  remove(place: Place): Promise<void>;
  /** It stays until a check finds it open. */
  confirm(place: Place): Promise<void>;
  isConfirmed(channel: string): Promise<boolean>;
}

/** Milliseconds before a check: archiving by mistake, or an outage, ends nothing. */
const WAIT = 3_600_000;

export function createClosedChannels({ db }: Pick<Database, 'db'>, now: () => number): ClosedChannels {
  return {
    async add({ team, channel, word }) {
      await db
        .insertInto('slack_closed_channel')
        .values({ team, channel, word, check_time: now() + WAIT, confirmed: 0 })
        .onConflict((conflict) => conflict.columns(['team', 'channel']).doNothing())
        .execute();
    },
    async take() {
      const time = now();
      const due = await db
        .selectFrom('slack_closed_channel')
        .selectAll()
        .where('check_time', '<=', time)
        .orderBy('check_time')
        .executeTakeFirst();
      if (!due) return null;
      const taken = await db
        .updateTable('slack_closed_channel')
        .set({ check_time: time + WAIT })
        .where((eb) => eb.and(due))
        .returningAll()
        .executeTakeFirst();
      // Another bot was faster: there may be more.
      return taken ?? this.take();
    },
    async remove({ team, channel }) {
      await db
        .deleteFrom('slack_closed_channel')
        .where((eb) => eb.and({ team, channel }))
        .execute();
    },
    async confirm({ team, channel }) {
      await db
        .updateTable('slack_closed_channel')
        .set({ confirmed: 1 })
        .where((eb) => eb.and({ team, channel }))
        .execute();
    },
    async isConfirmed(channel) {
      const found = await db
        .selectFrom('slack_closed_channel')
        .select('word')
        .where((eb) => eb.and({ channel, confirmed: 1 }))
        .executeTakeFirst();
      return found !== undefined;
    },
  };
}
