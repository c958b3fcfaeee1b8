// Linked accounts with their encrypted API keys.
import type { Database } from './database.ts';
import type { Keyring } from './keyring.ts';

export interface Link {
  readonly team: string;
  readonly slack_user: string;
  readonly slack_name: string;
  readonly server_user: string;
  readonly username: string;
  readonly key: string;
  /** ID of the key on the server, if created by linking. */
  readonly key_id: string | null;
}

export interface Links {
  findLink(team: string, slackUser: string): Promise<Link | null>;
  saveLink(link: Omit<Link, 'key_id'> & Partial<Pick<Link, 'key_id'>>): Promise<void>;
  /** Returns whether there was one. */
  removeLink(team: string, slackUser: string): Promise<boolean>;
  /** The Slack user of an account; null for nobody. */
  slackUserOf(team: string, serverUser: string): Promise<string | null>;
  /** All links of an account. */
  slackUsersOf(serverUser: string): Promise<Pick<Link, 'team' | 'slack_user'>[]>;
  /** All linked people of a workspace. */
  linkedUsers(team: string): Promise<string[]>;
}

/** Encryption context of a key. */
export const contextOf = (team: string, user: string) => `link/${team}/${user}`;

export function createLinks({ db }: Pick<Database, 'db'>, keyring: Keyring, now: () => number): Links {
  return {
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
    slackUsersOf: (serverUser) =>
      db
        .selectFrom('slack_link')
        .select(['team', 'slack_user'])
        .where('server_user', '=', serverUser)
        .orderBy('created_time')
        .execute(),
    async linkedUsers(team) {
      const rows = await db.selectFrom('slack_link').select('slack_user').where('team', '=', team).execute();
      return rows.map(({ slack_user }) => slack_user);
    },
  };
}
