// Databases with migrated tables: creating them for each server took a tenth of the time of all tests.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '@pressroom/server';
import { createDatabase, type TestDatabase } from './postgres.ts';

const TEMPLATE = 'ready';
let file: Promise<Buffer> | null = null;

/** Writes one for SQLite. */
export async function writeReadyFile(to: string): Promise<void> {
  file ??= makeFile();
  await writeFile(to, await file);
}

/** In the test run's PostgreSQL cluster. */
export const createReadyDatabase = (): Promise<TestDatabase> => createDatabase({ template: TEMPLATE });

/** Once per cluster: the template of `createReadyDatabase`. */
export async function makeTemplate(): Promise<void> {
  const { url } = await createDatabase({ name: TEMPLATE });
  const storage = await openStorage(url);
  await storage[Symbol.asyncDispose]();
}

async function makeFile(): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-ready-'));
  try {
    const path = join(directory, 'pressroom.sqlite');
    const storage = await openStorage(path);
    await storage[Symbol.asyncDispose]();
    return await readFile(path);
  } finally {
    await rm(directory, { recursive: true });
  }
}
