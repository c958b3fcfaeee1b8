// Channels in which a post failed because they are closed to the bot, until that is checked again.
import type { Selectable } from 'kysely';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';

export type ClosedChannel = Pick<Selectable<Schema['slack_closed_channel']>, 'team' | 'channel' | 'word'>;

export interface ClosedChannels {
  /** Does nothing if it is known already. */
  add(closed: ClosedChannel): Promise<void>;
  /** One to be checked now, by one bot; it is due again after the same time. */
  take(): Promise<ClosedChannel | null>;
  remove(closed: ClosedChannel): Promise<void>;
}

/** Milliseconds before a check: archiving by mistake, or an outage, ends nothing. */
const WAIT = 3_600_000;

export function createClosedChannels({ db }: Pick<Database, 'db'>, now: () => number): ClosedChannels {
  return {
    async add({ team, channel, word }) {
      await db
        .insertInto('slack_closed_channel')
        .values({ team, channel, word, check_time: now() + WAIT })
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
  };
}
