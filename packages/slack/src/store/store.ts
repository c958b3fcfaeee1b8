// What the bot stores: links, waiting lines, clicks, subscriptions, cursors, events.
import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import { openDatabase } from './database.ts';
import type { Keyring } from './keyring.ts';
import { createNotices, type Notices } from './notices.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { createReleases, type Releases } from './releases.ts';
import type { Schema } from './schema.ts';

export interface Link {
  readonly team: string;
  readonly slack_user: string;
  readonly slack_name: string;
  readonly server_user: string;
  readonly username: string;
  readonly key: string;
  /** ID of the key on the server, where linking made it. */
  readonly key_id: string | null;
}

export type Pending = Selectable<Schema['slack_pending']>;
export type Click = Selectable<Schema['slack_click']>;
export type Subscription = Selectable<Schema['slack_subscription']>;

export interface Store extends AsyncDisposable {
  readonly engine: 'sqlite' | 'postgres';
  readonly notices: Notices;
  readonly outbox: Outbox;
  readonly releases: Releases;
  findLink(team: string, slackUser: string): Promise<Link | null>;
  saveLink(link: Omit<Link, 'key_id'> & Partial<Pick<Link, 'key_id'>>): Promise<void>;
  /** True when there was one. */
  removeLink(team: string, slackUser: string): Promise<boolean>;
  /** The Slack user of an account; null for nobody. */
  slackUserOf(team: string, serverUser: string): Promise<string | null>;
  /** Everybody of a workspace who is linked. */
  linkedUsers(team: string): Promise<string[]>;
  /** Everything that is kept of a workspace but its installation. */
  removeTeam(team: string): Promise<void>;
  /** Encrypts again what an older key encrypted; returns how many. */
  rotate(): Promise<number>;
  readInstallation(id: string): Promise<string | null>;
  saveInstallation(id: string, json: string): Promise<void>;
  removeInstallation(id: string): Promise<void>;
  addPending(pending: Omit<Pending, 'id' | 'created_time'>): Promise<string>;
  /** Each line is taken once, by its owner. */
  takePending(id: string, team: string, slackUser: string): Promise<Pending | null>;
  /** The first click wins; null for the first, the winner for all others. */
  claimClick(id: string, slackUser: string, slackName: string): Promise<Click | null>;
  finishClick(id: string, task: string): Promise<void>;
  /** Allows another try after a failure. */
  releaseClick(id: string): Promise<void>;
  subscriptions(
    filter: Partial<Pick<Subscription, 'team' | 'channel' | 'content' | 'slack_user'>>,
  ): Promise<Subscription[]>;
  /** Those that are not to one content item. */
  scopedSubscriptions(): Promise<Subscription[]>;
  saveSubscription(
    subscription: Omit<Subscription, 'created_time' | 'digest_time' | 'zone' | 'digest_hour'> &
      Partial<Pick<Subscription, 'zone' | 'digest_hour'>>,
  ): Promise<void>;
  removeSubscription(team: string, channel: string, content: string): Promise<boolean>;
  /** Subscriptions to digests, the last of which was posted before that time. */
  dueDigests(before: number): Promise<Subscription[]>;
  finishDigest(subscription: Subscription, time: number): Promise<void>;
  readCursor(id: string): Promise<string | null>;
  saveCursor(id: string, position: string): Promise<void>;
  /** False for an event that came before. */
  firstSight(eventId: string): Promise<boolean>;
  /** Deletes expired rows. */
  sweep(): Promise<void>;
}

const HOUR = 3_600_000;
/** A response_url is valid for half an hour; a line that waits longer cannot be answered. */
const PENDING_LIFE = HOUR;
const CLICK_LIFE = 90 * 24 * HOUR;
const NOTICE_LIFE = 365 * 24 * HOUR;
const EVENT_LIFE = 2 * HOUR;
/** Longer than the server goes on sending an event. */
const OUTBOX_LIFE = 14 * 24 * HOUR;

/** @param where a `postgres://` address, or the path of an SQLite file. */
export async function openStore(
  where: string,
  keyring: Keyring,
  now: () => number = Date.now,
): Promise<Store> {
  const database = await openDatabase(where);
  const { db, engine } = database;
  /** This bot, among those of one database. */
  const owner = randomUUID();
  const contextOf = (team: string, user: string) => `link/${team}/${user}`;

  return {
    engine,
    notices: createNotices(database, now, owner),
    outbox: createOutbox(database, now, owner),
    releases: createReleases(database, now),
    async slackUserOf(team, serverUser) {
      const row = await db
        .selectFrom('slack_link')
        .select('slack_user')
        .where('team', '=', team)
        .where('server_user', '=', serverUser)
        .orderBy('created_time')
        .executeTakeFirst();
      return row?.slack_user ?? null;
    },
    async findLink(team, slackUser) {
      const row = await db
        .selectFrom('slack_link')
        .selectAll()
        .where('team', '=', team)
        .where('slack_user', '=', slackUser)
        .executeTakeFirst();
      if (!row) return null;
      const { key_sealed, ...rest } = row;
      return { ...rest, key: keyring.open(key_sealed, contextOf(team, slackUser)) };
    },
    async saveLink({ key, ...rest }) {
      const row = {
        key_id: null,
        ...rest,
        key_sealed: keyring.seal(key, contextOf(rest.team, rest.slack_user)),
        created_time: now(),
      };
      await db
        .insertInto('slack_link')
        .values(row)
        .onConflict((conflict) => conflict.columns(['team', 'slack_user']).doUpdateSet(row))
        .execute();
    },
    async removeLink(team, slackUser) {
      const result = await db
        .deleteFrom('slack_link')
        .where('team', '=', team)
        .where('slack_user', '=', slackUser)
        .executeTakeFirst();
      return Number(result.numDeletedRows) > 0;
    },
    async linkedUsers(team) {
      const rows = await db.selectFrom('slack_link').select('slack_user').where('team', '=', team).execute();
      return rows.map(({ slack_user }) => slack_user);
    },
    async removeTeam(team) {
      const tables = [
        'slack_link',
        'slack_pending',
        'slack_notice',
        'slack_edit',
        'slack_subscription',
        'slack_outbox',
        'slack_release',
        'slack_release_step',
      ] as const;
      for (const table of tables) await db.deleteFrom(table).where('team', '=', team).execute();
      // What was chosen for channels.
      await db.deleteFrom('slack_cursor').where('id', 'like', `language/${team}/%`).execute();
    },
    async rotate() {
      let sealed = 0;
      for (const row of await db.selectFrom('slack_link').selectAll().execute()) {
        if (!keyring.isOld(row.key_sealed)) continue;
        const context = contextOf(row.team, row.slack_user);
        await db
          .updateTable('slack_link')
          .set({ key_sealed: keyring.seal(keyring.open(row.key_sealed, context), context) })
          .where('team', '=', row.team)
          .where('slack_user', '=', row.slack_user)
          .where('key_sealed', '=', row.key_sealed)
          .execute();
        sealed += 1;
      }
      for (const row of await db.selectFrom('slack_installation').selectAll().execute()) {
        if (!keyring.isOld(row.sealed)) continue;
        await db
          .updateTable('slack_installation')
          .set({ sealed: keyring.seal(keyring.open(row.sealed, row.id), row.id) })
          .where('id', '=', row.id)
          .where('sealed', '=', row.sealed)
          .execute();
        sealed += 1;
      }
      return sealed;
    },
    async readInstallation(id) {
      const row = await db
        .selectFrom('slack_installation')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row ? keyring.open(row.sealed, id) : null;
    },
    async saveInstallation(id, json) {
      const row = { id, sealed: keyring.seal(json, id), updated_time: now() };
      await db
        .insertInto('slack_installation')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute();
    },
    async removeInstallation(id) {
      await db.deleteFrom('slack_installation').where('id', '=', id).execute();
    },
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
    async firstSight(eventId) {
      const result = await db
        .insertInto('slack_event')
        .values({ id: eventId, time: now() })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst();
      return Number(result.numInsertedOrUpdatedRows) > 0;
    },
    async sweep() {
      const time = now();
      const before = (life: number) => time - life;
      await db.deleteFrom('slack_pending').where('created_time', '<', before(PENDING_LIFE)).execute();
      await db.deleteFrom('slack_click').where('time', '<', before(CLICK_LIFE)).execute();
      await db.deleteFrom('slack_event').where('time', '<', before(EVENT_LIFE)).execute();
      await db.deleteFrom('slack_edit').where('time', '<', before(HOUR)).execute();
      await db.deleteFrom('slack_outbox').where('created_time', '<', before(OUTBOX_LIFE)).execute();
      await db.deleteFrom('slack_release').where('created_time', '<', before(NOTICE_LIFE)).execute();
      await db.deleteFrom('slack_release_step').where('time', '<', before(NOTICE_LIFE)).execute();
      await db.deleteFrom('slack_notice').where('created_time', '<', before(NOTICE_LIFE)).execute();
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
