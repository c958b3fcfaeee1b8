// Covers what a request for any address, from anybody, asks of the database.
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { expect, test } from 'vitest';
import type { Schema } from '../../platform/database/schema.ts';
import { findVanityOf } from './store.ts';

test('a long address sends the database no more than itself', async () => {
  const sent: unknown[] = [];
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => new SqliteIntrospector(of),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    log: ({ query: { sql, parameters } }) => void sent.push(sql, parameters),
  });
  const path = `/${'a/'.repeat(4000)}`;
  await findVanityOf(db, path);
  expect(sent).toHaveLength(2);
  expect(JSON.stringify(sent).length).toBeLessThan(path.length + 500);
});
