// Database access for subscriptions of channels.
import type { Selectable } from 'kysely';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';

export type Subscription = Selectable<Schema['slack_subscription']>;

export interface Subscriptions {
  subscriptions(
    filter: Partial<Pick<Subscription, 'team' | 'channel' | 'content' | 'slack_user'>>,
  ): Promise<Subscription[]>;
  /** Subscriptions to more than one content item. */
  scopedSubscriptions(): Promise<Subscription[]>;
  saveSubscription(
    subscription: Omit<Subscription, 'created_time' | 'digest_time' | 'zone' | 'digest_hour'> &
      Partial<Pick<Subscription, 'zone' | 'digest_hour'>>,
  ): Promise<void>;
  removeSubscription(team: string, channel: string, content: string): Promise<boolean>;
  /** Subscriptions whose last digest was before that time. */
  dueDigests(before: number): Promise<Subscription[]>;
  finishDigest(subscription: Subscription, time: number): Promise<void>;
}

export function createSubscriptions({ db }: Pick<Database, 'db'>, now: () => number): Subscriptions {
  return {
    async subscriptions(filter) {
      let query = db.selectFrom('slack_subscription').selectAll();
      for (const [column, value] of Object.entries(filter)) {
        query = query.where(column as 'team', '=', value);
      }
      return query.orderBy('title').execute();
    },
    scopedSubscriptions: () =>
      db
        .selectFrom('slack_subscription')
        .selectAll()
        .where('content', 'like', '~%')
        .orderBy('created_time')
        .execute(),
    async saveSubscription(subscription) {
      const time = now();
      const row = { zone: 'UTC', digest_hour: 8, ...subscription, created_time: time, digest_time: time };
      await db
        .insertInto('slack_subscription')
        .values(row)
        .onConflict((conflict) => conflict.columns(['team', 'channel', 'content']).doUpdateSet(row))
        .execute();
    },
    async removeSubscription(team, channel, content) {
      const result = await db
        .deleteFrom('slack_subscription')
        .where('team', '=', team)
        .where('channel', '=', channel)
        .where('content', '=', content)
        .executeTakeFirst();
      return Number(result.numDeletedRows) > 0;
    },
    dueDigests: (before) =>
      db
        .selectFrom('slack_subscription')
        .selectAll()
        .where('digest_time', '<', before)
        .where('filters', 'like', '%usage-%')
        .execute(),
    async finishDigest({ team, channel, content }, time) {
      await db
        .updateTable('slack_subscription')
        .set({ digest_time: time })
        .where('team', '=', team)
        .where('channel', '=', channel)
        .where('content', '=', content)
        .execute();
    },
  };
}
