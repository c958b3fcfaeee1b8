// One-time clicks, commands that wait for a link, known events, and cursors.
import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';

export type Pending = Selectable<Schema['slack_pending']>;
export type Click = Selectable<Schema['slack_click']>;

/** A response_url is valid for half an hour; older commands cannot be answered. */
export const PENDING_LIFE = 3_600_000;

export interface Clicks {
  addPending(pending: Omit<Pending, 'id' | 'created_time'>): Promise<string>;
  /** Returns a command once, to its owner. */
  takePending(id: string, team: string, slackUser: string): Promise<Pending | null>;
  /** The first click wins; null for the first, the winner for all others. */
  claimClick(id: string, slackUser: string, slackName: string): Promise<Click | null>;
  finishClick(id: string, task: string): Promise<void>;
  /** Allows another attempt after a failure. */
  releaseClick(id: string): Promise<void>;
  readCursor(id: string): Promise<string | null>;
  saveCursor(id: string, position: string): Promise<void>;
  removeCursor(id: string): Promise<void>;
  /** False for a repeated event. */
  firstSight(eventId: string): Promise<boolean>;
}

export function createClicks({ db }: Pick<Database, 'db'>, now: () => number): Clicks {
  return {
    async addPending(pending) {
      const id = randomUUID();
      await db
        .insertInto('slack_pending')
        .values({ ...pending, id, created_time: now() })
        .execute();
      return id;
    },
    async takePending(id, team, slackUser) {
      const row = await db
        .deleteFrom('slack_pending')
        .where('id', '=', id)
        .where('team', '=', team)
        .where('slack_user', '=', slackUser)
        .where('created_time', '>', now() - PENDING_LIFE)
        .returningAll()
        .executeTakeFirst();
      return row ?? null;
    },
    async claimClick(id, slackUser, slackName) {
      const row = { id, slack_user: slackUser, slack_name: slackName, time: now(), task: null };
      const result = await db
        .insertInto('slack_click')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst();
      if (Number(result.numInsertedOrUpdatedRows) > 0) return null;
      const winner = await db.selectFrom('slack_click').selectAll().where('id', '=', id).executeTakeFirst();
      return winner ?? row;
    },
    async finishClick(id, task) {
      await db.updateTable('slack_click').set({ task }).where('id', '=', id).execute();
    },
    async releaseClick(id) {
      await db.deleteFrom('slack_click').where('id', '=', id).where('task', 'is', null).execute();
    },
    async readCursor(id) {
      const row = await db.selectFrom('slack_cursor').selectAll().where('id', '=', id).executeTakeFirst();
      return row?.position ?? null;
    },
    async saveCursor(id, position) {
      await db
        .insertInto('slack_cursor')
        .values({ id, position })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ position }))
        .execute();
    },
    async removeCursor(id) {
      await db.deleteFrom('slack_cursor').where('id', '=', id).execute();
    },
    async firstSight(eventId) {
      const result = await db
        .insertInto('slack_event')
        .values({ id: eventId, time: now() })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst();
      return Number(result.numInsertedOrUpdatedRows) > 0;
    },
  };
}
