// Database access for failed sign-in attempts, counted across all servers.
import type { Selectable } from 'kysely';
import type { GuessTable, Micros } from '../platform/database/schema.ts';
import type { Executor } from '../platform/database/storage.ts';

export type GuessRow = Selectable<GuessTable>;

export function findGuesses(db: Executor, places: readonly string[], since: Micros): Promise<GuessRow[]> {
  return db.selectFrom('guess').selectAll().where('place', 'in', places).where('last', '>=', since).execute();
}

export async function saveGuess(db: Executor, row: GuessRow): Promise<void> {
  await db
    .insertInto('guess')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('place')
        .doUpdateSet({ failures: row.failures, last: row.last, next: row.next, node: row.node }),
    )
    .execute();
}

export async function forgetGuess(db: Executor, place: string): Promise<void> {
  await db.deleteFrom('guess').where('place', '=', place).execute();
}

export async function forgetGuessesBefore(db: Executor, time: Micros): Promise<void> {
  await db.deleteFrom('guess').where('last', '<', time).execute();
}
