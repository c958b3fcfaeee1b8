// Covers the disk space that a backup reserves before it writes.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { filesNamedIn } from '../../platform/database/sqlite/copy.ts';
import { loadConfig } from '../config/load-config.ts';
import { createBackup } from './create-backup.ts';

/** A data directory with one bundle, and one deploy in `content/a/1`. */
function makeData(home: string): string {
  const dataDir = join(home, 'data');
  mkdirSync(join(dataDir, 'bundles'), { recursive: true });
  mkdirSync(join(dataDir, 'content/a/1'), { recursive: true });
  using database = new DatabaseSync(join(dataDir, 'pressroom.sqlite'));
  database.exec(`create table bundle (id); insert into bundle values (7);
    create table content (guid, site); insert into content values ('a', '1')`);
  writeFileSync(join(dataDir, 'secret.key'), Buffer.alloc(32).toString('base64'));
  return dataDir;
}

test('reserves space for the database copy and then for the archive, not for holes in files', async () => {
  const home = mkdtempSync(join(tmpdir(), 'pressroom-backup-'));
  try {
    const dataDir = makeData(home);
    writeFileSync(join(dataDir, 'bundles/7.tar.gz'), Buffer.alloc(3_000_000, 1));
    writeFileSync(join(dataDir, 'content/a/1/data'), Buffer.alloc(2_000_000, 1));
    truncateSync(join(dataDir, 'content/a/1/data'), 2 ** 40);
    const taken: number[] = [];
    const options = { take: async (bytes: number) => void taken.push(bytes) };
    const { bytes } = await createBackup(
      loadConfig({}, { 'Server.DataDir': dataDir }),
      join(home, 'backup.tar'),
      options,
    );
    expect(taken).toHaveLength(2);
    expect(taken[0]).toBeGreaterThan(0);
    // tar pads archives to a multiple of 10 KiB.
    expect(Math.abs(bytes - (taken[1] ?? 0))).toBeLessThan(50_000);
    expect(bytes).toBeGreaterThan(5_000_000);
  } finally {
    rmSync(home, { recursive: true });
  }
});

test('leaves out paths that cannot be restored: nested directories do not fill the disk', async () => {
  const home = mkdtempSync(join(tmpdir(), 'pressroom-backup-'));
  try {
    const dataDir = makeData(home);
    const nest = `
import os, sys
os.chdir(sys.argv[1])
for _ in range(1000):
    open("file", "w").close(); os.mkdir("d" * 200); os.chdir("d" * 200)`;
    execFileSync('/usr/bin/python3', ['-c', nest, join(dataDir, 'content/a/1')]);
    const file = join(home, 'backup.tar');
    const { bytes } = await createBackup(loadConfig({}, { 'Server.DataDir': dataDir }), file);
    expect(bytes).toBeLessThan(1_000_000);
    const names = execFileSync('/usr/bin/tar', ['--list', '--file', file], { encoding: 'utf8' }).split('\n');
    const lengths = names.map((name) => name.length);
    expect(Math.max(...lengths)).toBeGreaterThan(3800);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(4095);
  } finally {
    // Node.js cannot remove such paths.
    execFileSync('rm', ['--recursive', '--force', home]);
  }
});

test('rejects a target directory that does not exist and names it', async () => {
  const file = join(tmpdir(), 'pressroom-nowhere', 'backup.tar');
  const config = loadConfig({}, { 'Server.DataDir': tmpdir() });
  await expect(createBackup(config, file)).rejects.toThrow(
    `there is no directory ${join(tmpdir(), 'pressroom-nowhere')}: make it first`,
  );
});

test('includes the sites of variants, drafts and held renderings beside the live one', () => {
  const home = mkdtempSync(join(tmpdir(), 'pressroom-backup-'));
  try {
    const file = join(home, 'pressroom.sqlite');
    using database = new DatabaseSync(file);
    database.exec(
      `create table bundle (id); create table content (guid, site); insert into content values ('a', '1')`,
    );
    for (const table of ['variant', 'draft', 'held_rendering'])
      database.exec(
        `create table ${table} (content_guid, site); insert into ${table} values ('a', '${table}'), ('b', null)`,
      );
    const names = filesNamedIn(file).sites.map(({ guid, site }) => `${guid}/${site}`);
    expect(names).toEqual(['a/1', 'a/draft', 'a/held_rendering', 'a/variant']);
  } finally {
    rmSync(home, { recursive: true });
  }
});
