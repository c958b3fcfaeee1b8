// Tokens of the workspaces that the app is installed in, encrypted.
import type { Database } from './database.ts';
import type { Keyring } from './keyring.ts';

export interface Installations {
  readInstallation(id: string): Promise<string | null>;
  saveInstallation(id: string, json: string): Promise<void>;
  /** Unless it is no longer `before`: removed, or installed again. Returns whether it was replaced. */
  replaceInstallation(id: string, before: string, json: string): Promise<boolean>;
  removeInstallation(id: string): Promise<void>;
  /** Workspaces in which the organization-wide installation was used. */
  workspacesOf(enterprise: string): Promise<string[]>;
}

export function createInstallations(
  { db }: Pick<Database, 'db'>,
  keyring: Keyring,
  now: () => number,
): Installations {
  return {
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
    async replaceInstallation(id, before, json) {
      const row = await db
        .selectFrom('slack_installation')
        .select('sealed')
        .where('id', '=', id)
        .executeTakeFirst();
      if (row === undefined || keyring.open(row.sealed, id) !== before) return false;
      const { numUpdatedRows } = await db
        .updateTable('slack_installation')
        .set({ sealed: keyring.seal(json, id), updated_time: now() })
        .where('id', '=', id)
        .where('sealed', '=', row.sealed)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async removeInstallation(id) {
      await db.deleteFrom('slack_installation').where('id', '=', id).execute();
    },
    async workspacesOf(enterprise) {
      const rows = await db
        .selectFrom('slack_installation')
        .selectAll()
        .where('id', 'like', 'grid/%')
        .execute();
      return rows
        .filter(({ id, sealed }) => keyring.open(sealed, id) === enterprise)
        .map(({ id }) => id.slice('grid/'.length));
    },
  };
}
