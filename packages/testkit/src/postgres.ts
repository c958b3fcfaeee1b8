// Databases of the test run's PostgreSQL cluster.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

/** Address of the cluster's maintenance database, set by the tests' global setup. */
export const CLUSTER_VARIABLE = 'PRESSROOM_TEST_POSTGRES';

/** @param options name, by default a new one; and the template database, by default an empty one. */
export async function createDatabase(
  options: { readonly name?: string; readonly template?: string } = {},
): Promise<TestDatabase> {
  const cluster = process.env[CLUSTER_VARIABLE];
  if (!cluster) throw new Error(`no PostgreSQL for the tests: ${CLUSTER_VARIABLE} is not set`);
  const { name = `test_${randomUUID().replaceAll('-', '')}`, template = 'template1' } = options;
  await runSql(cluster, `create database ${name} template ${template}`);
  const url = new URL(cluster);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => runSql(cluster, `drop database if exists ${name} with (force)`),
  };
}

/** @param statement one or several */
export async function runSql(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A database of the test run's engine: its address, or the path of a file. */
export async function startTestDatabase(): Promise<TestDatabase> {
  if (process.env.PRESSROOM_TEST_ENGINE === 'postgres') return createDatabase();
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-database-'));
  return {
    url: join(directory, 'test.sqlite'),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
