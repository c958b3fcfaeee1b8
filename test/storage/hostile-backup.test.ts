// Covers backups that somebody made to harm the machine that restores them.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { loadConfig } from '@pressroom/server';
import { startTestServer } from '@pressroom/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { restoreBackup } from '../../packages/server/src/main/backup/restore-backup.ts';
import { copyDatabase } from '../../packages/server/src/platform/database/sqlite/copy.ts';
import { END, entry, type TarItem } from '../hostile/tar-bytes.ts';

const GUID = '11111111-2222-4333-8444-555555555555';

let machine: string;
/** A file that is none of the backup's business. */
let victim: string;
beforeEach(async () => {
  machine = await mkdtemp(join(tmpdir(), 'pressroom-hostile-backup-'));
  victim = join(machine, 'elsewhere/victim');
  await mkdir(join(machine, 'elsewhere'));
  await writeFile(victim, 'precious');
});
afterEach(() => rm(machine, { recursive: true, force: true }));

/** Restores a whole backup of an empty server with these members, this in its note, and this done to its database. */
async function restore(
  items: readonly TarItem[],
  incomplete: readonly string[] = [],
  more = {},
  change: (database: DatabaseSync) => void = () => undefined,
) {
  const server = await startTestServer({ engine: 'sqlite' });
  copyDatabase(join(server.dataDir, 'pressroom.sqlite'), join(machine, 'copy'));
  const database = new DatabaseSync(join(machine, 'copy'));
  change(database);
  database.close();
  const key = await readFile(join(server.dataDir, 'secret.key'));
  await server[Symbol.asyncDispose]();
  const note = {
    format: 1,
    created: '2030-01-01T00:00:00Z',
    version: '1',
    database: 'sqlite',
    key: 'file',
    key_check: 'x',
    incomplete,
    ...more,
  };
  const members = [
    { name: 'pressroom.sqlite', body: await readFile(join(machine, 'copy')) },
    { name: 'secret.key', body: key, mode: 0o666 },
    ...items,
    { name: 'backup.json', body: JSON.stringify(note) },
  ];
  await writeFile(join(machine, 'all.tar'), Buffer.concat([...members.map(entry), END]));
  const config = loadConfig({}, { 'Server.DataDir': join(machine, 'data') });
  return restoreBackup(config, join(machine, 'all.tar'));
}

const link = (name: string, linkname: string, type = '2'): TarItem => ({ name, linkname, type });

test.each<[string, () => TarItem[], () => string[], RegExp]>([
  ['a note that names a file elsewhere', () => [], () => ['../elsewhere/victim'], /its note names/],
  [
    'a note that names it below content',
    () => [],
    () => [`content/${GUID}/../../../elsewhere/victim`],
    /its note names/,
  ],
  [
    'a note that names it behind a link',
    () => [link(`content/${GUID}/1`, join(machine, 'elsewhere'))],
    () => [`content/${GUID}/1/victim`],
    /its note names/,
  ],
  [
    'a file behind a link',
    () => [
      link(`content/${GUID}/1`, join(machine, 'elsewhere')),
      { name: `content/${GUID}/1/victim`, body: 'changed' },
    ],
    () => [],
    /tar ended/,
  ],
  [
    'a name with a step up',
    () => [{ name: `content/${GUID}/../../../elsewhere/victim`, body: 'changed' }],
    () => [],
    /it has content/,
  ],
  ['a hard link to it', () => [link(`content/${GUID}/1`, '../elsewhere/victim', '1')], () => [], /tar ended/],
  ['a link in place of an archive', () => [link('bundles/1.tar.gz', victim)], () => [], /in place of/],
  [
    'a link in place of deployed files',
    () => [link(`content/${GUID}/1-a`, join(machine, 'elsewhere'))],
    () => [],
    /in place of/,
  ],
  ['a link in place of a key', () => [link('admin-key', victim)], () => [], /in place of/],
  ['a device', () => [{ name: `content/${GUID}/1/disk`, type: '4' }], () => [], /it has a device/],
])('a backup with %s is refused, and changes nothing elsewhere', async (_, items, incomplete, why) => {
  await expect(restore(items(), incomplete())).rejects.toThrow(why);
  expect(await readFile(victim, 'utf8')).toBe('precious');
  expect(await readdir(join(machine, 'data')).catch(() => [])).toEqual([]);
});

test('what a backup says of itself does not control the terminal', async () => {
  const more = { format: 2, version: '\u001b[2J' };
  await expect(restore([], [], more)).rejects.toThrow(String.raw`newer version of Pressroom (\u{1b}[2J)`);
});

test('a backup with an endless note is refused before it is in memory', async () => {
  const more = { junk: 'x'.repeat(5 * 2 ** 20) };
  await expect(restore([], [], more)).rejects.toThrow('tar printed more than 4194304 characters');
});

test('nobody else reads the files of the server, whatever a backup says', async () => {
  await restore([{ name: 'bundles/1.tar.gz', body: 'x', mode: 0o666 }]);
  for (const name of ['pressroom.sqlite', 'secret.key', 'bundles/1.tar.gz'])
    expect((await stat(join(machine, 'data', name))).mode & 0o777, name).toBe(0o600);
});

test('a database that names deployed files elsewhere is refused', async () => {
  const change = (database: DatabaseSync) =>
    database.exec(`
      pragma foreign_keys = off;
      insert into draft values (1, '${GUID}', null, '../../../elsewhere', '{}', 'x', 'x', 0, 0, 0, 0)`);
  await expect(restore([], [], {}, change)).rejects.toThrow('names deployed files elsewhere');
});
