// The bot's store, composed of its parts; and operations on all of it: removing a workspace, rotating keys, sweeping.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { createClicks, PENDING_LIFE, type Clicks } from './clicks.ts';
import { createClosedChannels, type ClosedChannels } from './closed-channels.ts';
import { openDatabase } from './database.ts';
import { createInstallations, type Installations } from './installations.ts';
import type { Keyring } from './keyring.ts';
import { createLeaseClock } from './lease-clock.ts';
import { contextOf, createLinks, type Links } from './links.ts';
import { createNotices, type Notices } from './notices.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { createReleases, type Releases } from './releases.ts';
import { createRequests, type Requests } from './requests.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions.ts';

export interface Store extends Links, Installations, Clicks, Subscriptions, AsyncDisposable {
  /** Whether other bots may use it concurrently. */
  readonly isShared: boolean;
  readonly notices: Notices;
  readonly outbox: Outbox;
  readonly releases: Releases;
  readonly requests: Requests;
  readonly closedChannels: ClosedChannels;
  /** Rejects if the database does not answer. */
  ping(): Promise<void>;
  /** Removes all data of a workspace except its installation. */
  removeTeam(team: string): Promise<void>;
  /** Re-encrypts secrets of older keys; returns their number. */
  rotate(): Promise<number>;
  /** Deletes expired rows. */
  sweep(): Promise<void>;
}

const HOUR = 3_600_000;
const CLICK_LIFE = 90 * 24 * HOUR;
const NOTICE_LIFE = 365 * 24 * HOUR;
const EVENT_LIFE = 2 * HOUR;
/** Longer than the server repeats an event. */
const OUTBOX_LIFE = 14 * 24 * HOUR;

/**
 * @param where a `postgres://` address, or the path of an SQLite file.
 * @param given the time, for tests
 */
export async function openStore(where: string, keyring: Keyring, given?: () => number): Promise<Store> {
  const database = await openDatabase(where);
  const { db, engine } = database;
  /** Id of this bot among those of one database. */
  const owner = randomUUID();
  const now = given ?? Date.now;
  const leaseClock = createLeaseClock(engine, given);

  return {
    isShared: engine === 'postgres',
    notices: createNotices(database, { now, leaseClock, owner }),
    outbox: createOutbox(database, { now, leaseClock, owner }),
    releases: createReleases(database, now),
    requests: createRequests(database, now),
    closedChannels: createClosedChannels(database, now),
    ...createLinks(database, keyring, now),
    ...createInstallations(database, keyring, now),
    ...createClicks(database, now),
    ...createSubscriptions(database, now),
    async ping() {
      await sql`select 1`.execute(db);
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
        'slack_request',
        'slack_closed_channel',
      ] as const;
      for (const table of tables) await db.deleteFrom(table).where('team', '=', team).execute();
      // Settings of channels, what Slack refused, and workflow steps that wait.
      await db
        .deleteFrom('slack_cursor')
        .where((eb) =>
          eb.or([
            eb('id', 'like', `language/${team}/%`),
            eb('id', 'in', [`plans/${team}`, `charts/${team}`]),
            eb.and([eb('id', 'like', 'step/%'), eb('position', 'like', `%"team":"${team}"%`)]),
          ]),
        )
        .execute();
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
      await db.deleteFrom('slack_request').where('created_time', '<', before(NOTICE_LIFE)).execute();
      await db.deleteFrom('slack_notice').where('created_time', '<', before(NOTICE_LIFE)).execute();
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
