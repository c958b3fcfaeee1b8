// SQLite: one file, one server.
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { NodeSqliteDialect } from '@pressroom/node-sqlite';
import { Kysely, sql } from 'kysely';
import { fill, type Database, type Engine } from '../engine.ts';
import { NO_EVENTS } from '../events.ts';
import { CONTENT_TEXT_TRIGGERS } from './content-texts.ts';
import { GROUP_MEMBER_TRIGGERS } from './group-members.ts';
import { USER_PORTION_TRIGGERS } from './user-portions.ts';

const WORDS = { id: 'integer primary key autoincrement', int: 'integer', real: 'real', strict: ' strict' };

export const sqlite: Engine = {
  name: 'SQLite',
  isShared: false,
  accepts: (where) => !/^[a-z]+:\/\//i.test(where),
  open(file) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // The journal inherits the mode of the file.
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
    let writes = 0;
    const db: Database = new Kysely({
      dialect: new NodeSqliteDialect(file, {
        pragmas: ['cache_size = -65536', 'trusted_schema = off'],
        onWrite: () => (writes += 1),
      }),
    });
    return {
      db,
      events: NO_EVENTS,
      generation: () => writes,
      generationElsewhere: () => 0,
      generationLately: () => 0,
      seenByAll: async () => undefined,
      connections: () => null,
      [Symbol.asyncDispose]: () => db.destroy(),
    };
  },
  // Transactions start with the lock.
  lockWriters: async () => undefined,
  async hasTable(tx, name) {
    const { rows } = await sql`select 1 from sqlite_schema where type = 'table' and name = ${name}`.execute(
      tx,
    );
    return rows.length > 0;
  },
  statement: (migration) => fill(migration, WORDS),
  triggers: {
    user_portion: USER_PORTION_TRIGGERS,
    content_text: CONTENT_TEXT_TRIGGERS,
    group_member: GROUP_MEMBER_TRIGGERS,
  },
  jsonRows: (json) => sql`json_each(${json})`,
};
