// The pages about all tasks read the newest from an index: sorting 300,000 took SQLite half a second, during which it
// answers nobody.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery, type KyselyPlugin, type RootOperationNode } from 'kysely';
import { expect, it } from 'vitest';
import { openStorage, type Storage } from '../platform/database/storage.ts';
import { deploysSince, newestTasks, recentTasks } from './store.ts';

/** What SQLite does for the query that `run` sends. */
async function planOf({ db }: Storage, run: (db: Storage['db']) => Promise<unknown>): Promise<string[]> {
  const sent: [RootOperationNode, Parameters<KyselyPlugin['transformQuery']>[0]['queryId']][] = [];
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      sent.push([node, queryId]);
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  await run(db.withPlugin(plugin));
  const { sql, parameters } = db.getExecutor().compileQuery(...sent[0]!);
  const plan = await db.executeQuery(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]));
  return plan.rows.map((row) => (row as { detail: string }).detail);
}

it('reads the newest tasks from an index', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-tasks-'));
  try {
    await using storage = await openStorage(join(directory, 'pressroom.sqlite'));
    for (const failed of [false, true]) {
      const plan = await planOf(storage, (db) => newestTasks(db, { failed, limit: 100, offset: 0 }));
      expect(plan[0]).toBe('SCAN task USING INDEX task_created');
      expect(plan).not.toContain('USE TEMP B-TREE FOR ORDER BY');
    }
    const plan = await planOf(storage, (db) => deploysSince(db, 0));
    expect(plan[0]).toBe('SEARCH task USING INDEX task_created (created_time>?)');
    const ofContent = await planOf(storage, (db) => recentTasks(db, 'guid', 200, ['deploy', 'render']));
    expect(ofContent).toEqual(['SEARCH task USING INDEX task_content (content_guid=?)']);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
